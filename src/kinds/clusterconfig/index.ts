import { defineKind, jsonEqual, type Kind } from '../../sdk/index.ts';
import { BY_CLUSTER_CONFIG, referredName } from '../tenancy/environment-indexes.ts';
import { CLUSTER_CONFIGS, ENVIRONMENTS } from '../tenancy/own-resources.ts';
import { clusterConfigAccessReviews } from './access-reviews.ts';
import { ACCEPTED, clusterConfigPipeline } from './pipeline.ts';
import { clusterConfigRules } from './rules.ts';
import { clusterConfigSample } from './sample.ts';
import { type ClusterConfigSpec, type ClusterConfigStatus, clusterConfigSpec, clusterConfigStatus } from './schema.ts';

export { admitsNamespace } from './admits-namespace.ts';
export { namePolicyOf } from './name-policy.ts';
export { configProblem } from './rules.ts';
export type { ClusterConfig } from './schema.ts';

/** Member of an Environment's spec that names its config. */
const REFERENCE = 'clusterConfigRef';

/** ClusterConfig: what Environments may do, and what each of them gets. */
export const clusterConfigKind: Kind = defineKind<ClusterConfigSpec, ClusterConfigStatus>({
  type: CLUSTER_CONFIGS,
  singular: 'clusterconfig',
  shortNames: ['ccfg'],
  description: 'Says what Environments may do and gives each of them what all have in common.',
  spec: clusterConfigSpec,
  status: clusterConfigStatus,
  columns: [
    { name: 'Environments', type: 'integer', jsonPath: '.status.environments' },
    { name: 'Accepted', type: 'string', jsonPath: `.status.conditions[?(@.type=="${ACCEPTED}")].status` },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  rules: clusterConfigRules,
  accessReviews: clusterConfigAccessReviews,
  pipeline: clusterConfigPipeline,
  watches: [
    {
      type: ENVIRONMENTS,
      changed: (before, after) => !jsonEqual(referredName(before, REFERENCE), referredName(after, REFERENCE)),
      toKeys: (environment) => referredName(environment, REFERENCE).map((name) => ({ name })),
    },
  ],
  indexes: [BY_CLUSTER_CONFIG],
  samples: [clusterConfigSample],
});
