import type { Metrics } from '../base/metrics.ts';
import type { Unstructured } from '../base/object.ts';
import type { InformerHandler } from '../runtime/informer-handler.ts';
import type { Kind } from '../sdk/kind.ts';
import { conditionsOf } from '../status/conditions.ts';
import { SUMMARY_CONDITIONS } from '../status/summary.ts';
import type { InformerTable } from './informer-table.ts';

/** Whose objects are counted, and where they are seen. */
export interface ConditionCensusOptions {
  readonly kinds: readonly Kind[];
  readonly informers: Pick<InformerTable, 'of'>;
  readonly metrics: Metrics;
}

/**
 * Counts the objects of the kinds with steps by the status of their conditions, as they come, change and go. Conditions that are not
 * ours, which anybody may put into a status, are left out: they would make series without end.
 */
export function countConditions({ kinds, informers, metrics }: ConditionCensusOptions): void {
  for (const { type, pipeline } of kinds) {
    if (pipeline === undefined) continue;
    const types = new Set([...SUMMARY_CONDITIONS, ...pipeline.steps.map(({ condition }) => condition)]);
    informers.of(type).addHandler(census(type.kind, types, metrics));
  }
}

function census(kind: string, types: ReadonlySet<string>, metrics: Metrics): InformerHandler {
  const gauge = metrics.gauge({
    name: 'homeostat_object_conditions',
    help: 'Objects in the cache by the status of a condition.',
    labels: ['kind', 'condition', 'status'],
  });
  const counts = new Map<string, number>();
  const count = (type: string, status: string | undefined, by: 1 | -1): void => {
    if (status === undefined) return;
    const key = `${type}/${status}`;
    const now = (counts.get(key) ?? 0) + by;
    counts.set(key, now);
    gauge.set(now, { kind, condition: type, status });
  };
  /** Most updates change few conditions or none. */
  const move = (before: Unstructured | undefined, after: Unstructured | undefined): void => {
    const [was, is] = [statusesOf(before), statusesOf(after)];
    for (const type of types) {
      if (was.get(type) === is.get(type)) continue;
      count(type, was.get(type), -1);
      count(type, is.get(type), 1);
    }
  };
  return {
    added: (object) => move(undefined, object),
    updated: move,
    deleted: (last) => move(last, undefined),
  };
}

function statusesOf(object: Unstructured | undefined): ReadonlyMap<string, string> {
  return new Map((object === undefined ? [] : conditionsOf(object)).map(({ type, status }) => [type, status]));
}
