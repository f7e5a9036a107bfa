import { compareQuantities, type FieldPath, type Finding, invalid } from '../../sdk/index.ts';
import { quotaResource } from './quota-resource.ts';
import type { Quantities } from './quantity-schema.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';

/** The ceiling a ClusterConfig sets, under its name. */
export interface QuotaCeiling {
  readonly name: string;
  readonly hard: Quantities;
}

/** Amounts of a quota above the ceiling. Resources that the ceiling does not name are free. */
export function* ceilingFindings(quota: ResourceQuotaItem, ceiling: QuotaCeiling, path: FieldPath): Generator<Finding> {
  const bounds = Object.entries(ceiling.hard);
  for (const [resource, amount] of Object.entries(quota.hard)) {
    const [, bound] =
      bounds.find(
        ([name, most]) => quotaResource(name) === quotaResource(resource) && (compareQuantities(amount, most) ?? 0) > 0,
      ) ?? [];
    if (bound === undefined) continue;
    const detail = `${resource} ${amount} exceeds ClusterConfig "${ceiling.name}" ceiling ${bound}`;
    yield invalid([...path, 'hard', { key: resource }], amount, detail);
  }
}
