import { defineKind, type Kind, NAMESPACES, ownerIndex } from '../../sdk/index.ts';
import { BY_CLUSTER_CONFIG, BY_NAMESPACE, BY_TARGET, BY_TEAM } from '../tenancy/environment-indexes.ts';
import { uidIndex } from '../tenancy/indexed-keys.ts';
import { ENVIRONMENTS, FIELD_MANAGER } from '../tenancy/own-resources.ts';
import { environmentAccessReviews } from './access-reviews.ts';
import { environmentColumns } from './columns.ts';
import { mirrorStage } from './defaults.ts';
import { BY_OWNER_UID } from './owned-namespace.ts';
import { environmentPipeline } from './pipeline.ts';
import { environmentRules } from './rules.ts';
import { environmentSamples } from './samples.ts';
import { type EnvironmentSpec, type EnvironmentStatus, environmentSpec, environmentStatus } from './schema.ts';
import { CHILD_TYPES, environmentWatches } from './watches.ts';

export { MANAGED_LABELS_ANNOTATION } from './metadata-keys.ts';

/** Environment: one namespace with quotas, limits, accounts, bindings and policies, kept as its spec says. */
export const environmentKind: Kind = defineKind<EnvironmentSpec, EnvironmentStatus>({
  type: ENVIRONMENTS,
  singular: FIELD_MANAGER,
  shortNames: ['env'],
  description:
    'Gives a team a namespace and keeps quotas, limit ranges, service accounts, role bindings and network policies in it as described.',
  spec: environmentSpec,
  status: environmentStatus,
  columns: environmentColumns,
  rules: environmentRules,
  mutate: mirrorStage,
  staged: true,
  accessReviews: environmentAccessReviews,
  pipeline: environmentPipeline,
  watches: environmentWatches,
  indexes: [
    BY_CLUSTER_CONFIG,
    BY_TEAM,
    BY_NAMESPACE,
    BY_TARGET,
    uidIndex(ENVIRONMENTS),
    ownerIndex(NAMESPACES),
    BY_OWNER_UID,
    ...CHILD_TYPES.map((type) => ownerIndex(type)),
  ],
  samples: environmentSamples,
});
