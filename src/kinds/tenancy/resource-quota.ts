import { RESOURCE_QUOTAS } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
import { quantityTexts } from './quantity-schema.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';
import { withoutEmpty } from './without-empty.ts';

/** ResourceQuotas. The API server stores quantities in canonical form, the item keeps the spelling of its author. */
export const resourceQuotaForm: ChildForm<ResourceQuotaItem> = {
  type: RESOURCE_QUOTAS,
  manifest: ({ name, hard, scopes, scopeSelector }, namespace) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace },
    spec: withoutEmpty({
      hard: quantityTexts(hard),
      scopes,
      scopeSelector: sentSelector(scopeSelector),
    }),
  }),
  normalise: (manifest) => manifest,
  quantities: ['/spec/hard/*'],
  unordered: ['/spec/scopes'],
};

/** A selector without requirements selects by nothing, and the API server would keep its empty shell. */
function sentSelector(selector: ResourceQuotaItem['scopeSelector']): object | undefined {
  const requirements = selector?.matchExpressions ?? [];
  return requirements.length === 0 ? undefined : { matchExpressions: requirements.map((one) => withoutEmpty(one)) };
}
