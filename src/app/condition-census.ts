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
  const count = (object: Unstructured, by: 1 | -1): void => {
    for (const { type, status } of conditionsOf(object)) {
      if (!types.has(type)) continue;
      const key = `${type}/${status}`;
      const now = (counts.get(key) ?? 0) + by;
      counts.set(key, now);
      gauge.set(now, { kind, condition: type, status });
    }
  };
  return {
    added: (object) => count(object, 1),
    updated: (before, after) => {
      count(before, -1);
      count(after, 1);
    },
    deleted: (last) => count(last, -1),
  };
}
