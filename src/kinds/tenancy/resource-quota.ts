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
      scopeSelector: scopeSelector && {
        ...withoutEmpty({ matchExpressions: scopeSelector.matchExpressions?.map((one) => withoutEmpty(one)) }),
      },
    }),
  }),
  normalise: (manifest) => manifest,
  quantities: ['/spec/hard/*'],
  unordered: ['/spec/scopes'],
};
