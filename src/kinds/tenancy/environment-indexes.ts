import { type IndexDeclaration, isRecord, type Unstructured } from '../../sdk/index.ts';
import { ENVIRONMENTS } from './own-resources.ts';

/** Environments by the ClusterConfig they refer to. */
export const BY_CLUSTER_CONFIG: IndexDeclaration = {
  type: ENVIRONMENTS,
  name: 'clusterConfig',
  values: (environment) => referredName(environment, 'clusterConfigRef'),
};

/** Environments by the TeamConfig they refer to. */
export const BY_TEAM: IndexDeclaration = {
  type: ENVIRONMENTS,
  name: 'team',
  values: (environment) => referredName(environment, 'teamRef'),
};

/** Environments by the namespace they stand in: its labels decide which ClusterConfigs admit them. */
export const BY_NAMESPACE: IndexDeclaration = {
  type: ENVIRONMENTS,
  name: 'namespace',
  values: ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]),
};

/** Environments by the namespace they have or want, as their status tells: one that waits for a name is woken when it is free. */
export const BY_TARGET: IndexDeclaration = {
  type: ENVIRONMENTS,
  name: 'target',
  values: ({ status }) => {
    const namespace = isRecord(status) ? status['namespace'] : undefined;
    return typeof namespace === 'string' ? [namespace] : [];
  },
};

/** The name in a reference of the spec, as a list that is empty where there is none. */
export function referredName(object: Unstructured, member: string): readonly string[] {
  const { spec } = object;
  const reference = isRecord(spec) ? spec[member] : undefined;
  const name = isRecord(reference) ? reference['name'] : undefined;
  return typeof name === 'string' ? [name] : [];
}
