import type { JsonObject } from '../../sdk/index.ts';
import { TENANCY_LISTS, type TenancyLists } from '../tenancy/tenancy-lists.ts';
import type { ComputedName } from './compute-namespace-name.ts';
import type { ResolvedConfig } from './resolve-cluster-config.ts';
import type { EnsuredNamespace } from './write-namespace.ts';

/** What the steps of one pass gave, as far as they were reached. */
export type GivenBySteps = Partial<
  ResolvedConfig &
    ComputedName &
    EnsuredNamespace & { readonly [List in keyof Required<TenancyLists>]: readonly string[] }
>;

/**
 * The kind's own members of the status. The name of the namespace shows as soon as it is computed, its uid once it is ours, the
 * inventory once every list has been applied: a pass that was held up keeps what is stored.
 */
export function statusOf(given: GivenBySteps): JsonObject {
  const { config, target, namespaceUid } = given;
  const inventory = TENANCY_LISTS.flatMap((list) => {
    const names = given[list];
    return names === undefined ? [] : [[list, names] as const];
  });
  return {
    ...(config === undefined ? {} : { clusterConfig: usedConfig(config) }),
    ...(target === undefined ? {} : { namespace: target }),
    ...(namespaceUid === undefined ? {} : { namespaceUID: namespaceUid }),
    ...(inventory.length < TENANCY_LISTS.length ? {} : { inventory: Object.fromEntries(inventory) }),
  };
}

function usedConfig({ metadata }: ResolvedConfig['config']): JsonObject {
  return { name: metadata.name, uid: metadata.uid, generation: metadata.generation ?? 0 };
}
