import { findObject, type KubeObject, LiveLookup, type Lookup, type ObjectOf, type StepApi } from '../../sdk/index.ts';

/** Live objects may lead to others, as a namespace does to its Environment and that to its ClusterConfig. */
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
  const lookup = new LiveLookup(api.lookup);
  for (let round = 0; ; round++) {
    const decision = decide(lookup);
    const unread = lookup.unread(decision.restsOn);
    if (unread.length === 0) return decision;
    if (round === MAX_ROUNDS) return undefined;
    await lookup.read(unread, ({ type, key }) => findObject(api.client, type, key, { signal }), signal);
  }
}

/** Whether an object read live is the one that a pass acts for, with the spec it acts by. */
export function isSameSpec(live: KubeObject | undefined, { metadata }: KubeObject): boolean {
  return live?.metadata.uid === metadata.uid && live.metadata.generation === metadata.generation;
}
