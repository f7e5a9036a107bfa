import type { TeamConfig } from './schema.ts';

type Member = TeamConfig['spec']['members'][number];

/** Members of a team that have a role, as subjects of a binding. */
export function membersWithRole(
  team: TeamConfig,
  role: Member['role'],
): readonly { readonly kind: Member['kind']; readonly name: string }[] {
  return team.spec.members.filter((member) => member.role === role).map(({ kind, name }) => ({ kind, name }));
}
