import { orAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import type { ReadStore } from './store.ts';

/** How long a cache is waited for. */
export interface VersionWait {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Waits until a cache holds what was written at a version, bookmarks counting as any event does. True when it does, or when the
 * versions cannot be compared: better a stale read than a stopped caller. False when the time is over. Rejects with the signal's
 * reason.
 *
 * For work that has no key to put back. A reconcile does not wait: it is put off, and its worker takes another key meanwhile, see
 * `WriteLedger.staleness`.
 */
export async function waitForVersion(store: ReadStore, version: string, wait: VersionWait): Promise<boolean> {
  if (compareResourceVersions(version, store.resourceVersion) === undefined) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const giveUp = store.whenReached(version, () => resolve(true));
  const late = wait.clock.setTimer(wait.timeoutMs, () => resolve(false));
  try {
    return await orAborted(promise, wait.signal);
  } finally {
    giveUp();
    late.cancel();
  }
}
