import { type CustomResource, list, map, object, oneOf, optional, type Static, string } from '../../sdk/index.ts';
import { labelMap } from '../tenancy/name-schemas.ts';
import { TEAM_ROLES } from '../tenancy/role-binding-schema.ts';

const member = object(
  {
    kind: oneOf(['User', 'Group'], { description: 'Whether one person or a group of them.' }),
    name: string({ description: 'Name as the API server authenticates it.', minLength: 1, maxLength: 253 }),
    role: oneOf(TEAM_ROLES, { description: 'What this member is in the team.' }),
  },
  { description: 'One member of the team.' },
);

const contacts = object(
  {
    email: optional(
      string({
        description: 'Address that reaches the team.',
        minLength: 3,
        maxLength: 254,
        pattern: '^[^@ ]+@[^@ ]+$',
      }),
    ),
    slack: optional(string({ description: 'Channel of the team.', minLength: 1, maxLength: 100 })),
    onCall: optional(string({ description: 'How to reach who is on call.', minLength: 1, maxLength: 200 })),
  },
  { description: 'How to reach the team.' },
);

/** What a TeamConfig says. */
export const teamConfigSpec = object(
  {
    displayName: optional(string({ description: 'Name of the team for people.', minLength: 1, maxLength: 100 })),
    description: optional(string({ description: 'What the team does.', maxLength: 500 })),
    contacts: optional(contacts),
    members: list(member, {
      description: 'Members of the team; one of them at least is an owner.',
      minItems: 1,
      maxItems: 500,
      listType: 'map',
      keys: ['kind', 'name'],
    }),
    costCenter: optional(
      string({
        description: 'Where the costs go.',
        minLength: 1,
        maxLength: 63,
        pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$',
      }),
    ),
    labels: optional(labelMap('Labels of the namespaces of the team.', 16)),
    settings: optional(
      map(string({ description: 'Value of this setting; never a secret.', maxLength: 1024 }), {
        description: 'Free settings that other tools read.',
        maxProperties: 64,
      }),
    ),
  },
  { description: 'Who the team is.' },
);

/** The spec of a TeamConfig. */
export type TeamConfigSpec = Static<typeof teamConfigSpec>;

/** A TeamConfig. It has no status: nothing acts on it, others read it. */
export type TeamConfig = CustomResource<TeamConfigSpec>;
