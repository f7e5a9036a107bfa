import { type Waiting, waiting } from '../../sdk/index.ts';
import { membersWithRole } from '../teamconfig/index.ts';
import { limitRangeForm } from '../tenancy/limit-range.ts';
import { networkPolicyForm } from '../tenancy/network-policy.ts';
import { TEAM_CONFIGS } from '../tenancy/own-resources.ts';
import { resourceQuotaForm } from '../tenancy/resource-quota.ts';
import { roleBindingForm } from '../tenancy/role-binding.ts';
import type { RoleBindingItem } from '../tenancy/role-binding-schema.ts';
import { serviceAccountForm } from '../tenancy/service-account.ts';
import { type ChildContext, childStep, itemsOf } from './child-step.ts';
import { ENVIRONMENT_CONDITIONS } from './conditions.ts';
import { takeDefaultAccount, withDefaultAccount } from './default-account.ts';
import { teamOf } from './team.ts';

/** Step 5. */
export const applyResourceQuotas = childStep({
  name: 'ApplyResourceQuotas',
  condition: ENVIRONMENT_CONDITIONS.resourceQuotasApplied,
  list: 'resourceQuotas',
  form: resourceQuotaForm,
  items: (lists) => lists.resourceQuotas,
});

/** Step 6. */
export const applyLimitRanges = childStep({
  name: 'ApplyLimitRanges',
  condition: ENVIRONMENT_CONDITIONS.limitRangesApplied,
  list: 'limitRanges',
  form: limitRangeForm,
  items: (lists) => lists.limitRanges,
});

const applyAccounts = childStep({
  name: 'ApplyServiceAccounts',
  condition: ENVIRONMENT_CONDITIONS.serviceAccountsApplied,
  list: 'serviceAccounts',
  form: serviceAccountForm,
  items: (lists, context) => withDefaultAccount(lists.serviceAccounts, context),
});

/** Step 7. */
export const applyServiceAccounts: typeof applyAccounts = {
  ...applyAccounts,
  apply: async (context) => {
    await takeDefaultAccount(itemsOf(context.object, context.needs.config).serviceAccounts, context);
    return applyAccounts.apply(context);
  },
};

/** Step 8. Bindings to members of a team need the team; while it cannot be found, all bindings stay as they are. */
export const applyRoleBindings = childStep({
  name: 'ApplyRoleBindings',
  condition: ENVIRONMENT_CONDITIONS.roleBindingsApplied,
  list: 'roleBindings',
  form: roleBindingForm,
  items: (lists, context) => withTeamMembers(lists.roleBindings, context),
  touches: [
    // Granting a role takes the right to bind it; these are the roles a ClusterConfig allows by default.
    {
      type: { group: 'rbac.authorization.k8s.io', plural: 'clusterroles' },
      verbs: ['bind'],
      resourceNames: ['view', 'edit'],
    },
  ],
});

/** Step 9. */
export const applyNetworkPolicies = childStep({
  name: 'ApplyNetworkPolicies',
  condition: ENVIRONMENT_CONDITIONS.networkPoliciesApplied,
  list: 'networkPolicies',
  form: networkPolicyForm,
  items: (lists) => lists.networkPolicies,
});

function withTeamMembers(
  items: readonly RoleBindingItem[],
  { object, api }: ChildContext,
): readonly RoleBindingItem[] | Waiting {
  const team = teamOf(object, api.lookup);
  const { teamRef } = object.spec;
  if (teamRef !== undefined && team === undefined && items.some((item) => item.subjectsFromTeam !== undefined)) {
    const on = [{ group: TEAM_CONFIGS.group, kind: TEAM_CONFIGS.kind, name: teamRef.name }];
    return waiting('TeamNotFound', `TeamConfig "${teamRef.name}" does not exist; bindings stay as they are`, { on });
  }
  return items.map(({ subjectsFromTeam, ...item }) => {
    if (subjectsFromTeam === undefined || team === undefined) return item;
    return { ...item, subjects: [...(item.subjects ?? []), ...membersWithRole(team, subjectsFromTeam)] };
  });
}
