import { defineKind, type Kind } from '../../sdk/index.ts';
import { BY_TEAM } from '../tenancy/environment-indexes.ts';
import { ENVIRONMENTS, TEAM_CONFIGS } from '../tenancy/own-resources.ts';
import { teamConfigRules } from './rules.ts';
import { teamConfigSample } from './sample.ts';
import { type TeamConfigSpec, teamConfigSpec } from './schema.ts';

export { membersWithRole } from './members-with-role.ts';
export type { TeamConfig } from './schema.ts';
export { teamProblem } from './team-problem.ts';

/** TeamConfig: who a team is. Nothing acts on it, so it has no status: Environments read it. */
export const teamConfigKind: Kind = defineKind<TeamConfigSpec>({
  type: TEAM_CONFIGS,
  singular: 'teamconfig',
  shortNames: ['tc'],
  description: 'Says who a team is: members, contacts, labels and settings that Environments and other tools read.',
  spec: teamConfigSpec,
  columns: [
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName' },
    { name: 'Contact', type: 'string', jsonPath: '.spec.contacts.email' },
    { name: 'CostCenter', type: 'string', jsonPath: '.spec.costCenter' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  rules: teamConfigRules,
  indexes: [BY_TEAM],
  touches: [{ type: ENVIRONMENTS, verbs: ['get', 'list', 'watch'] }],
  samples: [teamConfigSample],
});
