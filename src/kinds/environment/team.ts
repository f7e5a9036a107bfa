import type { Lookup } from '../../sdk/index.ts';
import type { TeamConfig } from '../teamconfig/index.ts';
import { TEAM_CONFIGS } from '../tenancy/own-resources.ts';
import type { Environment } from './schema.ts';

/** The team of an Environment as the cache has it; `undefined` where it has none, or the team does not exist. */
export function teamOf(environment: Environment, lookup: Lookup): TeamConfig | undefined {
  const { teamRef } = environment.spec;
  return teamRef === undefined ? undefined : lookup.get<TeamConfig>(TEAM_CONFIGS, { name: teamRef.name });
}
