import { type KubeObject, noop, type Pipeline, pipeline, type Step } from '../../sdk/index.ts';
import { BY_CLUSTER_CONFIG } from '../tenancy/environment-indexes.ts';
import { ENVIRONMENTS } from '../tenancy/own-resources.ts';
import type { ClusterConfig } from './schema.ts';

/** Condition of the one step, of positive polarity and always present: whether Environments can use this config. */
export const ACCEPTED = 'Accepted';

interface Counted {
  readonly environments: number;
}

/**
 * Counts who refers to the config. What is wrong with it the engine has found before, by the kind's rules, and reported under this
 * step's condition. A config nobody refers to is as healthy as any.
 */
const countEnvironments: Step<ClusterConfig, object, Counted> = {
  name: 'CountEnvironments',
  condition: ACCEPTED,
  touches: [{ type: ENVIRONMENTS, verbs: ['get', 'list', 'watch'] }],
  apply: ({ object, api }) => {
    const users = api.lookup.byIndex<KubeObject>(ENVIRONMENTS, BY_CLUSTER_CONFIG.name, object.metadata.name);
    const words = { reason: 'Valid', message: 'Environments can use this config' };
    return noop({ environments: users.length }, words);
  },
};

/** The chain of a ClusterConfig. It makes nothing, so there is no finalizer: what uses it protects it from deletion. */
export const clusterConfigPipeline: Pipeline = pipeline<ClusterConfig>()
  .step(countEnvironments)
  .build({
    invalidEvent: 'ConfigInvalid',
    status: ({ environments }) => (environments === undefined ? {} : { environments }),
  });
