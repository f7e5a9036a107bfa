import { childController } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf } from '../base/resource.ts';
import type { KubeClient, ObjectPage } from '../kube/client.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import type { SharedInformer } from './shared-informer.ts';
import type { ReadStore } from './store.ts';
import { TurnBudget } from './turn-budget.ts';

/** What a comparison needs. */
export interface CacheComparisonOptions {
  /** Only keys and versions are compared, so it may be one that asks for metadata alone. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a consistent list says of a cache. */
export interface CacheComparison {
  /** The version of the list. */
  readonly resourceVersion: string;
  /**
   * The cache has come to that version; or it holds every object of the list in that state or a later one, and none that the list would
   * have to hold. In the latter case an object that came and went since may still pass by.
   */
  readonly holdsAll: boolean;
  /** Why the list could not be read to its end; absent where it could. */
  readonly failure?: unknown;
}

/** Objects asked for at a time: a page is parsed in one turn. */
const PAGE = 250;

/** How long the rest of a long list may take: whoever asks is waiting with all its work. */
const LIMIT_MS = 10_000;

/**
 * Compares a cache with what the API server holds at this moment. A quiet resource does not move the version of its cache, for bookmarks come
 * once a minute: this proves at once what the version alone cannot.
 *
 * Rejects with what `KubeClient.list` rejects the first page with, and with the signal's reason.
 */
export async function compareWithServer(
  { type, store, scope }: SharedInformer,
  { client, clock, signal }: CacheComparisonOptions,
): Promise<CacheComparison> {
  const first = await client.list(type, { ...scope, limit: PAGE, resourceVersion: '' }, { signal });
  const { resourceVersion } = first;
  const ending = childController(signal);
  let reached = false;
  const giveUp = store.whenReached(resourceVersion, () => {
    reached = true;
    ending.abort(new Error('The cache has come to the version of the list'));
  });
  const late = clock.setTimer(LIMIT_MS, () =>
    ending.abort(new Error(`The list took longer than ${LIMIT_MS / 1000} s`)),
  );
  const next = (continueToken: string): Promise<ObjectPage> =>
    client.list(type, { ...scope, limit: PAGE, continueToken }, { signal: ending.signal });
  try {
    const holdsAll = reached || (await holdsPages(store, first, { next, budget: new TurnBudget(clock) }));
    return { resourceVersion, holdsAll: holdsAll || reached };
  } catch (failure) {
    signal.throwIfAborted();
    return reached ? { resourceVersion, holdsAll: true } : { resourceVersion, holdsAll: false, failure };
  } finally {
    late.cancel();
    giveUp();
    ending.release();
  }
}

/** How a list goes on. */
interface Continuation {
  readonly next: (continueToken: string) => Promise<ObjectPage>;
  readonly budget: TurnBudget;
}

async function holdsPages(store: ReadStore, first: ObjectPage, { next, budget }: Continuation): Promise<boolean> {
  const listed = new Set<string>();
  for (let page = first; ; page = await next(page.continueToken)) {
    for (const object of page.items) {
      const cached = store.get(keyOf(object));
      if (cached === undefined || isOlder(cached, object.metadata.resourceVersion)) return false;
      listed.add(formatKey(keyOf(object)));
      if (budget.isSpent()) await budget.renew();
    }
    if (page.continueToken === '') break;
  }
  // What is missing in the list has come after it, or is gone without the cache knowing.
  for (const cached of store.list()) {
    if (!listed.has(formatKey(keyOf(cached))) && isOlder(cached, first.resourceVersion)) return false;
    if (budget.isSpent()) await budget.renew();
  }
  return true;
}

/** Versions that cannot be compared prove nothing. */
function isOlder({ metadata }: Unstructured, resourceVersion: string): boolean {
  return (compareResourceVersions(metadata.resourceVersion, resourceVersion) ?? -1) < 0;
}
