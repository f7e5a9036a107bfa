import {
  annotationFindings,
  type CelTwin,
  deletionRule,
  type Finding,
  forbidden,
  labelFindings,
  type Rule,
  type RuleContext,
  stateRule,
  transitionRule,
} from '../../sdk/index.ts';
import { CLUSTER_CONFIGS } from '../tenancy/own-resources.ts';
import { reservedKeyFindings } from '../tenancy/reserved-keys.ts';
import { itemRules } from './item-rules.ts';
import { referenceRules } from './reference-rules.ts';
import { clusterConfigOf } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';

const IMMUTABLE = 'cannot be changed';

const targetTwin: CelTwin = {
  at: ['spec'],
  rule: 'has(self.targetNamespace) == has(oldSelf.targetNamespace) && (!has(self.targetNamespace) || self.targetNamespace == oldSelf.targetNamespace)',
  message: IMMUTABLE,
  fieldPath: '.targetNamespace',
};

/** All rules of the kind. */
export const environmentRules: readonly Rule<Environment>[] = [
  transitionRule({ id: 'environment.target-namespace', tier: 'C', cel: targetTwin }, targetFindings),
  ...referenceRules,
  stateRule(
    {
      id: 'environment.namespace-metadata',
      tier: 'W',
      says: 'spec.namespaceLabels and spec.namespaceAnnotations are labels and annotations',
    },
    namespaceMetadataFindings,
  ),
  stateRule(
    {
      id: 'environment.reserved-keys',
      tier: 'W',
      says: 'no reserved key in spec.namespaceLabels and spec.namespaceAnnotations beyond what the ClusterConfig allows',
    },
    reservedFindings,
  ),
  ...itemRules,
  deletionRule({ id: 'environment.prevent-deletion', says: 'spec.preventDeletion is false' }, preventDeletionFindings),
];

function* targetFindings(before: Environment, after: Environment): Generator<Finding> {
  if (after.spec.targetNamespace === before.spec.targetNamespace) return;
  yield { type: 'FieldValueInvalid', path: ['spec', 'targetNamespace'], detail: IMMUTABLE };
}

function* namespaceMetadataFindings({ spec }: Environment): Generator<Finding> {
  yield* labelFindings(['spec', 'namespaceLabels'], spec.namespaceLabels ?? {});
  yield* annotationFindings(['spec', 'namespaceAnnotations'], spec.namespaceAnnotations ?? {});
}

function* reservedFindings(environment: Environment, { lookup }: RuleContext): Generator<Finding> {
  const config = clusterConfigOf(environment, lookup);
  const { name } = environment.spec.clusterConfigRef;
  const restsOn = [{ type: CLUSTER_CONFIGS, key: { name } }];
  const allowed = config === undefined ? undefined : (config.spec.allowedLabelPrefixes ?? []);
  for (const member of ['namespaceLabels', 'namespaceAnnotations'] as const) {
    const keys = Object.keys(environment.spec[member] ?? {});
    for (const finding of reservedKeyFindings(keys, allowed, ['spec', member])) yield { ...finding, restsOn };
  }
}

function* preventDeletionFindings({ metadata, spec }: Environment): Generator<Finding> {
  if (!spec.preventDeletion) return;
  const detail = `Environment "${metadata.name}" is protected; set spec.preventDeletion to false first`;
  yield forbidden(['spec', 'preventDeletion'], detail);
}
