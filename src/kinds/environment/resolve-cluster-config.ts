import { type Lookup, noop, type Outcome, refOf, type Step, type StepContext, waiting } from '../../sdk/index.ts';
import { admitsNamespace, type ClusterConfig, configProblem } from '../clusterconfig/index.ts';
import { CLUSTER_CONFIGS } from '../tenancy/own-resources.ts';
import { ENVIRONMENT_CONDITIONS } from './conditions.ts';
import type { Environment } from './schema.ts';

/** What the steps after this one need. */
export interface ResolvedConfig {
  readonly config: ClusterConfig;
}

/** The ClusterConfig an Environment refers to, as the cache has it. */
export function clusterConfigOf(environment: Environment, lookup: Lookup): ClusterConfig | undefined {
  return lookup.get<ClusterConfig>(CLUSTER_CONFIGS, { name: environment.spec.clusterConfigRef.name });
}

/**
 * Step 2. A config that is missing, does not admit the namespace, or is broken holds the chain: what exists stays as it is,
 * nothing is pruned, and the watch on ClusterConfigs wakes every Environment that refers to it.
 */
export const resolveClusterConfigRef: Step<Environment, object, ResolvedConfig> = {
  name: 'ResolveClusterConfigRef',
  condition: ENVIRONMENT_CONDITIONS.clusterConfigResolved,
  touches: [{ type: CLUSTER_CONFIGS, verbs: ['get', 'list', 'watch'] }],
  apply: resolve,
};

function resolve({ object, api }: StepContext<Environment, object>): Outcome<ResolvedConfig> {
  const { name } = object.spec.clusterConfigRef;
  const config = clusterConfigOf(object, api.lookup);
  if (config === undefined) {
    const on = [{ group: CLUSTER_CONFIGS.group, kind: CLUSTER_CONFIGS.kind, name }];
    return waiting('NotFound', `ClusterConfig "${name}" does not exist`, { event: 'ConfigNotFound', on });
  }
  const on = [refOf(config)];
  const namespace = object.metadata.namespace ?? '';
  if (!admitsNamespace(config, namespace, api.lookup)) {
    return waiting('NotAdmitted', `ClusterConfig "${name}" does not admit namespace "${namespace}"`, { on });
  }
  const problem = configProblem(config, { lookup: api.lookup, operatorNamespace: '' });
  if (problem !== undefined) return waiting('Invalid', `ClusterConfig "${name}" is invalid: ${problem}`, { on });
  return noop({ config }, { reason: 'Resolved', message: `ClusterConfig "${name}"` });
}
