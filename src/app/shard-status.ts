import { toTimestamp } from '../base/clock.ts';
import { isRecord, type JsonObject } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { COMMON, isShard, type ShardName } from '../runtime/shard.ts';
import type { Kind } from '../sdk/kind.ts';
import { conditionsOf, mergeConditions } from '../status/conditions.ts';
import { summarise } from '../status/summary.ts';
import { initialLinks } from '../steps/apply-pass.ts';

/** The shard that an object names. What can be nobody's name, as an edit by hand may leave it, stands for none. */
export function shardNameOf({ status }: Unstructured): ShardName {
  const shard = isRecord(status) ? status['shard'] : undefined;
  return typeof shard === 'string' && isShard(shard) ? shard : COMMON;
}

/**
 * The members of a status that give an object to a shard. An object without conditions gets its first ones with them, those that a first
 * pass begins with: a status that says nothing of the object counts as all is well.
 */
export function statusFor(shard: ShardName, { pipeline }: Kind, object: Unstructured, nowMs: number): JsonObject {
  const member = { shard: shard === COMMON ? null : shard };
  if (pipeline === undefined || conditionsOf(object).length > 0) return member;
  const { generation = 0 } = object.metadata;
  const links = initialLinks(pipeline);
  const summary = summarise({ generation, phase: 'starting', links, attempts: 1, owned: [] }, { conditions: [] });
  if (summary === undefined) return member;
  const conditions = mergeConditions([], summary.conditions, new Set(), toTimestamp(nowMs));
  return {
    ...member,
    observedGeneration: generation,
    step: summary.step,
    conditions: conditions.map((condition) => ({ ...condition })),
  };
}
