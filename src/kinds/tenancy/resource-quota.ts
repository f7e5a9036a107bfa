import { type Manifest, RESOURCE_QUOTAS, type Unstructured, valueAt } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
import { quantityTexts } from './quantity-schema.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';
import { withoutEmpty } from './without-empty.ts';

/**
 * ResourceQuotas. The API server stores quantities in canonical form, the item keeps the spelling of its author. The scopes of a quota
 * cannot be changed (core validation, ValidateResourceQuotaUpdate), so others replace the quota.
 */
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
  immutable: ['/spec/scopes'],
  merge: withoutForeignSelection,
};

/**
 * Empties what selects and is not desired: things that somebody leaves out are not counted, and scopes that are taken out of the spec
 * replace the quota as others do. Only where there is something: the API server keeps the shell of an empty selector.
 */
function withoutForeignSelection(desired: Manifest, live: Unstructured): Manifest {
  // The manifest is one this file made.
  const spec = desired['spec'] as { readonly scopes?: object; readonly scopeSelector?: object };
  const surplus = {
    ...(spec.scopes === undefined && isFilled(live, 'scopes') ? { scopes: [] } : {}),
    ...(spec.scopeSelector === undefined && isFilled(live, 'scopeSelector', 'matchExpressions')
      ? { scopeSelector: { matchExpressions: [] } }
      : {}),
  };
  return { ...desired, spec: { ...spec, ...surplus } };
}

function isFilled(live: Unstructured, ...path: readonly string[]): boolean {
  const value = valueAt(live, ['spec', ...path]);
  return Array.isArray(value) && value.length > 0;
}

/** A selector without requirements selects by nothing, and the API server would keep its empty shell. */
function sentSelector(selector: ResourceQuotaItem['scopeSelector']): object | undefined {
  const requirements = selector?.matchExpressions ?? [];
  return requirements.length === 0 ? undefined : { matchExpressions: requirements.map((one) => withoutEmpty(one)) };
}
