import type { RuleContext } from '../../sdk/index.ts';
import { firstProblem } from '../tenancy/first-problem.ts';
import { teamConfigRules } from './rules.ts';
import type { TeamConfig } from './schema.ts';

/** The first thing that is wrong with a team that got past admission, for the Environments that would take labels and members from it. */
export function teamProblem(team: TeamConfig, context: RuleContext): string | undefined {
  return firstProblem(teamConfigRules, team, context);
}
