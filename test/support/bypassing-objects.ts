import type { Manifest } from '../../src/base/object.ts';

/** An object that breaks one rule of tier W, and what must exist for the rule to speak. */
export interface BypassingObject {
  readonly rule: string;
  readonly kind: 'Environment' | 'ClusterConfig';
  readonly spec: object;
  /** Spec of the ClusterConfig the object refers to. */
  readonly config?: object;
}

const QUOTA = { name: 'bad', hard: { 'requests.cpu': '4x' } };
const LIMITS = { name: 'bad', limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }] };
const ACCOUNT = { name: 'bad', labels: { ok: 'not ok!' } };
const POLICY = { name: 'bad', spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/33' } }] }] } };
const ROLE = {
  name: 'bad',
  roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'User', name: 'eve' }],
};
const SUBJECT = {
  name: 'bad',
  roleRef: { kind: 'ClusterRole', name: 'view' },
  subjects: [{ kind: 'ServiceAccount', name: 'Not_A_Name', namespace: 'team-a' }],
};
const CEILING = { quotaCeiling: { hard: { pods: '5' } } };

const environment = (rule: string, spec: object, config?: object): BypassingObject => ({
  rule: `environment.${rule}`,
  kind: 'Environment',
  spec,
  ...(config === undefined ? {} : { config }),
});

const config = (rule: string, spec: object): BypassingObject => ({
  rule: `clusterconfig.${rule}`,
  kind: 'ClusterConfig',
  spec,
});

const inTemplate = (list: string, item: object): object => ({ template: { [list]: [item] } });

/** One for each rule that denies, is not in the CRD, and is examined again by the controller. */
export const BYPASSING_OBJECTS: readonly BypassingObject[] = [
  environment('operator-namespace', { targetNamespace: 'homeostat-system' }, { allowExplicitNamespace: true }),
  environment('namespace-metadata', { namespaceLabels: { ok: 'not ok!' } }),
  environment('reserved-keys', { namespaceLabels: { 'homeostat.io/mine': 'yes' } }),
  environment('resource-quotas', { resourceQuotas: [QUOTA] }),
  environment('limit-ranges', { limitRanges: [LIMITS] }),
  environment('service-accounts', { serviceAccounts: [ACCOUNT] }),
  environment('subject-names', { roleBindings: [SUBJECT] }),
  environment('network-policies', { networkPolicies: [POLICY] }),
  environment('allowed-roles', { roleBindings: [ROLE] }),
  environment('quota-ceiling', { resourceQuotas: [{ name: 'big', hard: { pods: '50' } }] }, CEILING),
  config('name-template', { namespaceNameTemplate: 'X{name}' }),
  config('protected-namespaces', { protectedNamespaces: ['Not_A_Name'] }),
  config('label-prefixes', { allowedLabelPrefixes: ['no-slash'] }),
  config('allowed-namespaces', {
    allowedNamespaces: { from: 'Selector', selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
  }),
  config('resource-quotas', inTemplate('resourceQuotas', QUOTA)),
  config('limit-ranges', inTemplate('limitRanges', LIMITS)),
  config('service-accounts', inTemplate('serviceAccounts', ACCOUNT)),
  config('subject-names', inTemplate('roleBindings', SUBJECT)),
  config('network-policies', inTemplate('networkPolicies', POLICY)),
  config('vault-rules', { vault: { rules: [{ paths: ['{nobody}/x'], capabilities: ['read'] }] } }),
  config('vault-shared-policies', { vault: { sharedPolicies: [{ name: 'root', namespaces: ['team-a'] }] } }),
  config('template-roles', inTemplate('roleBindings', ROLE)),
  config('quota-ceiling', {
    quotaCeiling: { hard: { pods: '5' } },
    ...inTemplate('resourceQuotas', { name: 'big', hard: { pods: '50' } }),
  }),
];

/** Rules that only ever warn. */
export const WARNING_RULES: readonly string[] = [
  'environment.open-peers',
  'environment.compute-quota-defaults',
  'clusterconfig.open-peers',
];

/** The object and its ClusterConfig under these names. */
export function manifestsOf(
  { kind, spec, config: needed = {} }: BypassingObject,
  name: string,
): {
  readonly config?: Manifest;
  readonly object: Manifest;
} {
  const apiVersion = 'homeostat.io/v1alpha1';
  if (kind === 'ClusterConfig') return { object: { apiVersion, kind, metadata: { name }, spec } };
  return {
    config: { apiVersion, kind: 'ClusterConfig', metadata: { name }, spec: needed },
    object: {
      apiVersion,
      kind,
      metadata: { name, namespace: 'team-a' },
      spec: { clusterConfigRef: { name }, ...spec },
    },
  };
}
