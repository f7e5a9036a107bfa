import { compareQuantities, type FieldPath, type Finding, invalid } from '../../sdk/index.ts';
import type { Quantities } from './quantity-schema.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';

/** The ceiling a ClusterConfig sets, under its name. */
export interface QuotaCeiling {
  readonly name: string;
  readonly hard: Quantities;
}

/** Amounts of a quota above the ceiling. Resources that the ceiling does not name are free. */
export function* ceilingFindings(quota: ResourceQuotaItem, ceiling: QuotaCeiling, path: FieldPath): Generator<Finding> {
  for (const [resource, amount] of Object.entries(quota.hard)) {
    const bound = Object.hasOwn(ceiling.hard, resource) ? ceiling.hard[resource] : undefined;
    if (bound === undefined || (compareQuantities(amount, bound) ?? 0) <= 0) continue;
    const detail = `${resource} ${amount} exceeds ClusterConfig "${ceiling.name}" ceiling ${bound}`;
    yield invalid([...path, 'hard', { key: resource }], amount, detail);
  }
}
