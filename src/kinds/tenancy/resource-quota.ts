import { type Manifest, RESOURCE_QUOTAS, type Unstructured, valueAt } from '../../sdk/index.ts';
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
  merge: withoutForeignSelector,
};

/**
 * Empties a selector that is not desired, which would leave things uncounted. Only where there is one: the API server keeps the shell of an
 * empty selector.
 */
function withoutForeignSelector(desired: Manifest, live: Unstructured): Manifest {
  // The manifest is one this file made.
  const spec = desired['spec'] as { readonly scopeSelector?: object };
  const present = valueAt(live, ['spec', 'scopeSelector', 'matchExpressions']);
  if (spec.scopeSelector !== undefined || !Array.isArray(present) || present.length === 0) return desired;
  return { ...desired, spec: { ...spec, scopeSelector: { matchExpressions: [] } } };
}

/** A selector without requirements selects by nothing, and the API server would keep its empty shell. */
function sentSelector(selector: ResourceQuotaItem['scopeSelector']): object | undefined {
  const requirements = selector?.matchExpressions ?? [];
  return requirements.length === 0 ? undefined : { matchExpressions: requirements.map((one) => withoutEmpty(one)) };
}
