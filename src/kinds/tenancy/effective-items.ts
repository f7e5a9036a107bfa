import type { TenancyLists } from './tenancy-lists.ts';

/** The lists a template adds to, with the items that may not be overridden marked. */
export type TenancyTemplate = {
  readonly [List in keyof TenancyLists]?: readonly (NonNullable<TenancyLists[List]>[number] & {
    readonly required?: boolean;
  })[];
};

/** An item of a list, by its name. */
interface Named {
  readonly name: string;
}

/**
 * What is to be in the namespace: the template's items, each replaced by the Environment's own of the same name unless it is
 * required, then the Environment's others.
 */
export function effectiveItems(template: TenancyTemplate, own: TenancyLists): Required<TenancyLists> {
  return {
    resourceQuotas: overlay(template.resourceQuotas, own.resourceQuotas),
    limitRanges: overlay(template.limitRanges, own.limitRanges),
    serviceAccounts: overlay(template.serviceAccounts, own.serviceAccounts),
    roleBindings: overlay(template.roleBindings, own.roleBindings),
    networkPolicies: overlay(template.networkPolicies, own.networkPolicies),
  };
}

/** Names in one list of a template that no item of an Environment may take, or takes with effect. */
export function requiredNames(template: TenancyTemplate | undefined, list: keyof TenancyLists): ReadonlySet<string> {
  return new Set((template?.[list] ?? []).flatMap(({ name, required }) => (required === true ? [name] : [])));
}

function overlay<Item extends Named>(
  template: readonly (Item & { readonly required?: boolean })[] = [],
  own: readonly Item[] = [],
): readonly Item[] {
  const byName = new Map(own.map((item) => [item.name, item]));
  const base = template.map(({ required, ...item }): Item => {
    const replacement = required === true ? undefined : byName.get(item.name);
    byName.delete(item.name);
    // Without `required` a template item is an item.
    return replacement ?? (item as unknown as Item);
  });
  return [...base, ...byName.values()];
}
