import {
  decideOnLive,
  findObject,
  type KubeObject,
  keyOf,
  type Lookup,
  type ObjectOf,
  type ResourceType,
  type StepApi,
  type StepContext,
} from '../../sdk/index.ts';
import { isSameSpec } from '../tenancy/same-spec.ts';
import { findGrant, type VaultGrant } from './vault-grant.ts';

/** As far as it is from a namespace to its Environment, that one's ClusterConfig, and the namespace that the config admits. */
const MAX_ROUNDS = 4;

/** What is decided, and the objects whose content or absence that rests on. */
export interface Decision {
  readonly restsOn: readonly ObjectOf[];
}

/**
 * What is decided on what the API server holds, not the caches: for whatever takes rights from running applications. A cache that lags
 * behind a grant would take them for nothing, and only the next event would bring them back. `undefined` where live objects led
 * to yet others round after round. Rejects as the client does.
 */
export async function decideLive<D extends Decision>(
  api: Pick<StepApi, 'client' | 'lookup'>,
  decide: (lookup: Lookup) => D,
  signal: AbortSignal,
): Promise<D | undefined> {
  const { decision, isSettled } = await decideOnLive({
    cached: api.lookup,
    decide,
    restsOn: ({ restsOn }) => restsOn,
    read: ({ type, key }) => findObject(api.client, type, key, { signal }),
    signal,
    maxRounds: MAX_ROUNDS,
  });
  return isSettled ? decision : undefined;
}

/** A grant as the API server knows it, and a lookup that shows what it rests on the same way. */
export interface LiveGrant {
  readonly grant: VaultGrant;
  readonly lookup: Lookup;
}

/**
 * The grant of an object's namespace, decided live together with `others` that the caller looks at. `undefined` where there is none, or
 * where the object is not the one of the cache any more. Rejects as the client does.
 */
export async function findLiveGrant(
  { object, api, signal }: Pick<StepContext<KubeObject, object>, 'object' | 'api' | 'signal'>,
  type: ResourceType,
  others: readonly ObjectOf[] = [],
): Promise<LiveGrant | undefined> {
  const own = { type, key: keyOf(object) };
  const decide = (lookup: Lookup) => {
    const found = findGrant(object.metadata.namespace ?? '', lookup);
    return { found, lookup, now: lookup.get(type, own.key), restsOn: [...found.restsOn, ...others, own] };
  };
  const decided = await decideLive(api, decide, signal);
  if (decided?.found.type !== 'granted' || !isSameSpec(decided.now, object)) return undefined;
  return { grant: decided.found.grant, lookup: decided.lookup };
}
