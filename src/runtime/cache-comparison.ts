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
  /** Names and versions are compared, so it may be one that asks for metadata alone. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A longer list is not read to its end, and proves nothing. @defaultValue no bound */
  readonly maxPages?: number;
}

/** What a consistent list says of a cache. */
export interface CacheComparison {
  /** The version of the list. */
  readonly resourceVersion: string;
  /** The cache holds every object of the list as it is there, or a later state of it, and none that the list would have to hold. */
  readonly holdsAll: boolean;
}

/** Objects asked for at a time. */
const PAGE = 500;

/**
 * Compares a cache with what the API server holds at this moment. A quiet resource moves no cache's version, for its bookmarks come once a
 * minute: this proves at once what the version alone cannot. Rejects with what `KubeClient.list` rejects with.
 */
export async function compareWithServer(
  { type, store, scope }: SharedInformer,
  { client, clock, signal, maxPages = Number.POSITIVE_INFINITY }: CacheComparisonOptions,
): Promise<CacheComparison> {
  const budget = new TurnBudget(clock);
  const listed = new Set<string>();
  let query: Parameters<KubeClient['list']>[1] = { ...scope, limit: PAGE, resourceVersion: '' };
  for (let pages = 1; ; pages++) {
    const page = await client.list(type, query, { signal });
    const { resourceVersion, continueToken } = page;
    const holdsPage = await holds(store, page, listed, budget);
    if (!holdsPage || (continueToken !== '' && pages >= maxPages)) return { resourceVersion, holdsAll: false };
    if (continueToken === '') return { resourceVersion, holdsAll: await holdsNoOther(store, page, listed, budget) };
    query = { ...scope, limit: PAGE, continueToken };
  }
}

async function holds(store: ReadStore, page: ObjectPage, listed: Set<string>, budget: TurnBudget): Promise<boolean> {
  for (const object of page.items) {
    const cached = store.get(keyOf(object));
    if (cached === undefined || isOlder(cached, object.metadata.resourceVersion)) return false;
    listed.add(formatKey(keyOf(object)));
    if (budget.isSpent()) await budget.renew();
  }
  return true;
}

/** What is missing in the list has come after it, or is gone without the cache knowing. */
async function holdsNoOther(
  store: ReadStore,
  { resourceVersion }: ObjectPage,
  listed: ReadonlySet<string>,
  budget: TurnBudget,
): Promise<boolean> {
  for (const cached of store.list()) {
    if (!listed.has(formatKey(keyOf(cached))) && isOlder(cached, resourceVersion)) return false;
    if (budget.isSpent()) await budget.renew();
  }
  return true;
}

/** Versions that cannot be compared prove nothing. */
function isOlder({ metadata }: Unstructured, resourceVersion: string): boolean {
  return (compareResourceVersions(metadata.resourceVersion, resourceVersion) ?? -1) < 0;
}
