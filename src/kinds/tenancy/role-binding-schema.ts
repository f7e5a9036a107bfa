import { list, object, oneOf, optional, type Static, string, withDefault } from '../../sdk/index.ts';
import { dnsLabel, pathSegment } from './name-schemas.ts';

/** Roles a member of a team can have, as TeamConfig spells them. */
export const TEAM_ROLES = ['owner', 'maintainer', 'viewer'] as const;

const subject = object(
  {
    kind: oneOf(['User', 'Group', 'ServiceAccount'], { description: 'Who this is.' }),
    name: string({ description: 'Name of the user, group or service account.', minLength: 1, maxLength: 253 }),
    namespace: optional(dnsLabel('Namespace of a ServiceAccount; absent for users and groups.')),
  },
  { description: 'One user, group or service account.' },
);

/** Members of one role binding. Only ClusterRoles can be bound: a Role inside the namespace is the team's own matter. */
export const roleBindingMembers = {
  name: dnsLabel('Name of the RoleBinding in the namespace.'),
  roleRef: object(
    {
      kind: withDefault(oneOf(['ClusterRole'], { description: 'Always ClusterRole.' }), 'ClusterRole'),
      name: pathSegment('Name of the ClusterRole; the ClusterConfig says which are allowed.'),
    },
    { description: 'The role that is granted inside the namespace.' },
  ),
  subjects: optional(list(subject, { description: 'Who gets the role.', maxItems: 50, listType: 'atomic' })),
  subjectsFromTeam: optional(
    oneOf(TEAM_ROLES, {
      description: 'Also grants the role to every member of the team who has this role in its TeamConfig.',
    }),
  ),
};

/** One role binding as a schema. */
export const roleBindingSchema = object(roleBindingMembers, {
  description: 'A RoleBinding to be kept in the namespace.',
});

/** One role binding. */
export type RoleBindingItem = Static<typeof roleBindingSchema>;

/** One subject of a role binding. */
export type Subject = Static<typeof subject>;
