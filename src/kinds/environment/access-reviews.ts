import { type AccessRequest, type Change, jsonEqual, type Lookup } from '../../sdk/index.ts';
import { namePolicyOf } from '../clusterconfig/index.ts';
import { bindRequest } from '../tenancy/bind-request.ts';
import { computeName } from '../tenancy/namespace-name.ts';
import { frozenName, nameSourceOf } from './compute-namespace-name.ts';
import { clusterConfigOf } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';

/**
 * Whoever writes a binding must be allowed to bind its role in the Environment's namespace, as the API server asks of everybody who
 * writes a RoleBinding there. A change of subjects asks as well: a new subject gets the role. Bindings that stay as they are, in the
 * namespace they are in, ask nothing, and those of a template are the ClusterConfig author's.
 */
export function environmentAccessReviews(change: Change<Environment>, lookup: Lookup): readonly AccessRequest[] {
  if (change.type === 'delete') return [];
  const { after } = change;
  const before = change.type === 'update' ? change.before : undefined;
  const sameTeam = jsonEqual(before?.spec.teamRef, after.spec.teamRef);
  const namespace = targetOf(after, lookup);
  // Another config or team may lead to another namespace, where the author may bind less.
  const moved = before !== undefined && targetOf(before, lookup) !== namespace;
  const asked = new Set<string>();
  return (after.spec.roleBindings ?? []).flatMap((binding, index) => {
    const { roleRef, subjectsFromTeam } = binding;
    const former = before?.spec.roleBindings?.find(({ name }) => name === binding.name);
    const same = !moved && jsonEqual(former, binding) && (sameTeam || subjectsFromTeam === undefined);
    if (same || asked.has(roleRef.name)) return [];
    asked.add(roleRef.name);
    return [bindRequest(roleRef.name, ['spec', 'roleBindings', index, 'roleRef', 'name'], namespace)];
  });
}

/** The namespace the bindings will be in, where that can be told; the right everywhere is asked for where it cannot. */
function targetOf(environment: Environment, lookup: Lookup): string | undefined {
  const config = clusterConfigOf(environment, lookup);
  const frozen = frozenName(environment, lookup);
  if (frozen !== undefined || config === undefined) return frozen;
  return computeName(nameSourceOf(environment), namePolicyOf(config));
}
