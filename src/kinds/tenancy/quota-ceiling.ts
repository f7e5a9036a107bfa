import { compareQuantities, type FieldPath, type Finding, invalid } from '../../sdk/index.ts';
import type { Quantities } from './quantity-schema.ts';
import { measuredResource } from './quota-resource.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';

/** The ceiling a ClusterConfig sets, under its name. */
export interface QuotaCeiling {
  readonly name: string;
  readonly hard: Quantities;
}

/**
 * Amounts of a quota above the ceiling, under whichever of its names a resource stands on either side. Resources that the ceiling does not
 * name are free.
 */
export function* ceilingFindings(quota: ResourceQuotaItem, ceiling: QuotaCeiling, path: FieldPath): Generator<Finding> {
  for (const [resource, amount] of Object.entries(quota.hard)) {
    for (const [name, bound] of Object.entries(ceiling.hard)) {
      if (measuredResource(name) !== measuredResource(resource)) continue;
      if ((compareQuantities(amount, bound) ?? 0) <= 0) continue;
      const limit = name === resource ? bound : `${name} ${bound}`;
      const detail = `${resource} ${amount} exceeds ClusterConfig "${ceiling.name}" ceiling ${limit}`;
      yield invalid([...path, 'hard', { key: resource }], amount, detail);
    }
  }
}
