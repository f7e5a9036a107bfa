import type { ObjectKey } from '../base/resource.ts';
import { COMMON, neededShards, selects, type ShardDeclaration, type ShardName, shardOf, stageShard } from './shard.ts';

/** How an instance stands to a shard's Lease. */
export type LeaseStanding =
  /** Held by us, and all that was written under it before can be seen. */
  | 'held'
  /** Held by somebody else when last looked at. */
  | 'foreign'
  /** Neither known to be ours nor somebody else's. */
  | 'open';

/** What is known of an object when its turn comes. */
export interface ClaimInput {
  readonly declaration: ShardDeclaration;
  readonly key: ObjectKey;
  readonly stage: string | undefined;
  /** The shard that the object names, the common one where it names none. */
  readonly shard: ShardName;
  /** The object is such that whoever else might work on it would first write to it under its resourceVersion. */
  readonly untouched: boolean;
  readonly standing: (shard: ShardName) => LeaseStanding;
}

/** What to do with an object when its turn comes. */
export type Claim =
  /** Reconcile it, for as long as the Leases of these shards are held. */
  | { readonly type: 'work'; readonly under: readonly ShardName[] }
  /** Write this shard to it, and look again. */
  | { readonly type: 'take'; readonly shard: ShardName }
  /** Write this shard to it, and leave it: another instance is meant to reconcile it. */
  | { readonly type: 'hand'; readonly shard: ShardName }
  /** Leave it until these Leases are held, or another instance hands it over. */
  | { readonly type: 'wait'; readonly shards: readonly ShardName[] }
  /** None of this instance's business. */
  | { readonly type: 'leave' };

/**
 * Decides whether an instance may reconcile an object now.
 *
 * An object names one shard, and only the holder of that shard's Lease works on it or writes another shard to it. Since an instance
 * works on a key once at a time, and its turn is also when it hands the object on, nothing it began before is under way then; and the
 * next instance begins after it has read the new name. A shard nobody holds is no obstacle: its Lease is taken first, as
 * anybody would who wanted to work under it, and then the same rule holds.
 *
 * One case is shorter: an object that names no shard and that nobody has touched. Whoever else works on it begins with a write under
 * the version it knows; taking the object is such a write too, so one of the two fails.
 */
export function decideClaim(input: ClaimInput): Claim {
  return selects(input.declaration, input.key, input.stage) ? claimSelected(input) : giveAway(input);
}

function claimSelected({ declaration, stage, shard, untouched, standing }: ClaimInput): Claim {
  const own = shardOf(declaration);
  const needed = neededShards(declaration, stage);
  const missing = needed.filter((one) => standing(one) !== 'held');
  const [foreign] = missing.filter((one) => standing(one) === 'foreign');
  if (foreign !== undefined && standing(shard) === 'held') return { type: 'hand', shard: foreign };
  if (missing.length > 0) return { type: 'wait', shards: missing };
  if (needed.includes(shard)) return { type: 'work', under: needed };
  if (standing(shard) === 'held' || (untouched && shard === COMMON)) return { type: 'take', shard: own };
  return { type: 'wait', shards: [shard] };
}

/** The instance that was responsible hands on; whom to, the object's stage says. */
function giveAway({ declaration, stage, shard, standing }: ClaimInput): Claim {
  const own = shardOf(declaration);
  const heir = stage === undefined ? COMMON : stageShard(stage);
  if (shard !== own || heir === own) return { type: 'leave' };
  // A Lease that has just run out may be taken again, and nothing else would bring the key back then.
  return standing(own) === 'held' ? { type: 'hand', shard: heir } : { type: 'wait', shards: [own] };
}
