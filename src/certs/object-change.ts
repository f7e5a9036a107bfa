import { deadline, sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';

/** Which object, and how long to wait. */
export interface ObjectChangeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** The version that has been seen. */
  readonly resourceVersion: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until the object is another one than was seen, for `waitMs` at most. Where it cannot be watched, it waits that long. The
 * right it takes is `watch` on this one name. Rejects with the signal's reason when that fires.
 */
export async function changeOrTimeout(options: ObjectChangeOptions): Promise<void> {
  const { clock, waitMs, signal } = options;
  const startMs = clock.monotonic();
  const over = new HomeostatError('HOMEOSTAT_TIMEOUT', 'The time for a change is over');
  const limit = deadline(clock, waitMs, signal, () => over);
  try {
    if (await hasChanged(options, limit.signal)) return;
  } catch {
    // A watch that ends for whatever reason is no news; the time is what counts then.
    signal.throwIfAborted();
  } finally {
    limit.cancel();
  }
  const leftMs = startMs + waitMs - clock.monotonic();
  if (leftMs > 0) await sleep(clock, leftMs, signal);
}

async function hasChanged(options: ObjectChangeOptions, signal: AbortSignal): Promise<boolean> {
  const { client, type, key, resourceVersion, waitMs } = options;
  const query = {
    fieldSelector: `metadata.name=${key.name}`,
    resourceVersion,
    timeoutSeconds: Math.ceil(waitMs / 1000) + 1,
    ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
  };
  for await (const frame of await client.watch(type, query, { signal })) {
    if (frame.type === 'ERROR') return false;
    if (frame.type !== 'BOOKMARK') return true;
  }
  return false;
}
