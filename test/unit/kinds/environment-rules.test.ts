import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import type { Change } from '../../../src/rules/change.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { clusterConfig, environment, KindHarness, kindNamed, teamConfig } from '../../support/kind-harness.ts';

const KIND = kindNamed('Environment');
const UNKNOWN_CONFIG =
  'warning: spec.clusterConfigRef.name: Invalid value: "default": ClusterConfig "default" does not exist yet; waiting for it';

/** What the rules say about creating an Environment with this spec under this config. */
function created(spec: object, config: object = {}, metadata: object = {}): readonly string[] {
  const harness = new KindHarness();
  harness.store(clusterConfig(config));
  return harness.judge(KIND, { type: 'create', after: environment(spec, metadata) });
}

function updated(before: object, after: object, config: object = {}): readonly string[] {
  const harness = new KindHarness();
  harness.store(clusterConfig(config));
  const change: Change<Manifest> = { type: 'update', before: environment(before), after: environment(after) };
  return harness.judge(KIND, change);
}

interface Case {
  readonly name: string;
  readonly spec: object;
  readonly config?: object;
  readonly metadata?: object;
  readonly says: readonly string[];
}

const CASES: readonly Case[] = [
  { name: 'an empty spec is fine', spec: {}, says: [] },
  {
    name: 'E6: a computed name that is protected is refused',
    spec: {},
    metadata: { namespace: 'kube', name: 'system' },
    says: ['metadata.name: Invalid value: "system": computed namespace "kube-system" is protected by "kube-*"'],
  },
  {
    name: 'C12: a pattern of the config protects as well',
    spec: {},
    config: { protectedNamespaces: ['team-*'] },
    says: ['metadata.name: Invalid value: "dev": computed namespace "team-a-dev" is protected by "team-*"'],
  },
  {
    name: 'the namespace of this service is protected',
    spec: { targetNamespace: 'homeostat-system' },
    config: { allowExplicitNamespace: true },
    says: [
      'spec.targetNamespace: Invalid value: "homeostat-system": computed namespace "homeostat-system" is protected',
    ],
  },
  {
    name: 'E8: an explicit name of 71 characters is refused with its length',
    spec: { targetNamespace: 'x'.repeat(71) },
    config: { allowExplicitNamespace: true },
    says: [
      `spec.targetNamespace: Invalid value: "${'x'.repeat(71)}": computed namespace "${'x'.repeat(71)}" is 71 characters, at most 63`,
    ],
  },
  {
    name: 'an explicit name needs the permission of the config',
    spec: { targetNamespace: 'mine' },
    says: ['spec.targetNamespace: Forbidden: ClusterConfig "default" does not allow choosing the namespace'],
  },
  {
    name: 'a name with a dot gives no namespace',
    spec: {},
    metadata: { name: 'a.b' },
    says: [
      'metadata.name: Invalid value: "a.b": computed namespace "team-a-a.b" must consist of lower case letters, digits and "-", and start and end with a letter or digit',
    ],
  },
  {
    name: 'a config that does not admit the namespace refuses',
    spec: {},
    config: { allowedNamespaces: { selector: { matchLabels: { tier: 'gold' } } } },
    says: [
      'spec.clusterConfigRef.name: Invalid value: "default": ClusterConfig "default" does not admit namespace "team-a"',
    ],
  },
  {
    name: 'a config may admit namespaces by name',
    spec: {},
    config: { allowedNamespaces: { names: ['team-a'] } },
    says: [],
  },
  {
    name: 'a quota above the ceiling is refused with both amounts',
    spec: { resourceQuotas: [{ name: 'q', hard: { 'requests.storage': '40Gi' } }] },
    config: { quotaCeiling: { hard: { 'requests.storage': '20Gi' } } },
    says: [
      'spec.resourceQuotas[0].hard[requests.storage]: Invalid value: "40Gi": requests.storage 40Gi exceeds ClusterConfig "default" ceiling 20Gi',
    ],
  },
  {
    name: 'a quota equal to the ceiling in another spelling is fine',
    spec: { resourceQuotas: [{ name: 'q', hard: { 'requests.storage': '20480Mi' } }] },
    config: { quotaCeiling: { hard: { 'requests.storage': '20Gi' } } },
    says: [],
  },
  {
    name: 'a role outside the allowed ones is refused',
    spec: { roleBindings: [{ name: 'b', roleRef: { name: 'admin' }, subjects: [] }] },
    says: ['spec.roleBindings[0].roleRef.name: Invalid value: "admin": ClusterConfig "default" allows only view, edit'],
  },
  {
    name: 'an item the config requires cannot be overridden',
    spec: { networkPolicies: [{ name: 'deny', spec: { podSelector: {} } }] },
    config: { template: { networkPolicies: [{ name: 'deny', required: true, spec: { podSelector: {} } }] } },
    says: ['spec.networkPolicies[0].name: Forbidden: ClusterConfig "default" requires its own "deny"'],
  },
  {
    name: 'a reserved key needs the permission of the config',
    spec: { namespaceLabels: { 'istio.io/rev': 'x', 'team.istio.io/y': 'x', plain: 'x' } },
    config: { allowedLabelPrefixes: ['istio.io/'] },
    says: [
      'spec.namespaceLabels[team.istio.io/y]: Forbidden: "team.istio.io/y" is reserved; an Environment may set it where allowedLabelPrefixes of its ClusterConfig allow',
    ],
  },
  {
    name: 'our own keys cannot be set even with permission',
    spec: { namespaceLabels: { 'homeostat.io/owner-uid': 'x' } },
    config: { allowedLabelPrefixes: ['homeostat.io/'] },
    says: [
      'spec.namespaceLabels[homeostat.io/owner-uid]: Forbidden: "homeostat.io/owner-uid" belongs to the cluster or to this service',
    ],
  },
  {
    name: 'E13: a compute quota without a container default warns',
    spec: { resourceQuotas: [{ name: 'q', hard: { 'requests.cpu': '4' } }] },
    says: [
      'warning: spec.resourceQuotas[0].hard[requests.cpu]: Invalid value: no Container default for cpu: Pods that name none are refused',
    ],
  },
  {
    name: 'E13: a default in the template of the config is enough',
    spec: { resourceQuotas: [{ name: 'q', hard: { 'requests.cpu': '4' } }] },
    config: { template: { limitRanges: [{ name: 'l', limits: [{ type: 'Container', max: { cpu: '1' } }] }] } },
    says: [],
  },
  {
    name: 'an empty list of sources warns, since it means everybody',
    spec: { networkPolicies: [{ name: 'p', spec: { ingress: [{ from: [] }] } }] },
    says: [
      'warning: spec.networkPolicies[0].spec.ingress[0].from: Invalid value: []: an empty list allows traffic from everywhere',
    ],
  },
  {
    name: 'members of a team need a team',
    spec: { roleBindings: [{ name: 'b', roleRef: { name: 'view' }, subjectsFromTeam: 'owner' }] },
    says: ['spec.teamRef: Required value: subjectsFromTeam needs spec.teamRef'],
  },
];

for (const { name, spec, config, metadata, says } of CASES) {
  test(name, () => {
    assert.deepEqual(created(spec, config, metadata), says);
  });
}

test('a missing config only warns, and reserved keys wait for it', () => {
  const spec = { namespaceLabels: { 'istio.io/rev': 'x' } };
  assert.deepEqual(new KindHarness().judge(KIND, { type: 'create', after: environment(spec) }), [UNKNOWN_CONFIG]);
});

test('a missing team only warns', () => {
  assert.deepEqual(created({ teamRef: { name: 'x' } }), [
    'warning: spec.teamRef.name: Invalid value: "x": TeamConfig "x" does not exist yet; its bindings wait for it',
  ]);
});

test('the target namespace cannot be set, changed or taken away afterwards', () => {
  const config = { allowExplicitNamespace: true };
  const refusal = ['spec.targetNamespace: Invalid value: cannot be changed'];
  assert.deepEqual(updated({}, { targetNamespace: 'a' }, config), refusal);
  assert.deepEqual(updated({ targetNamespace: 'a' }, { targetNamespace: 'b' }, config), refusal);
  assert.deepEqual(updated({ targetNamespace: 'a' }, {}, config), refusal);
});

test('C10: an Environment a config no longer admits can still be edited, with a warning', () => {
  const says = updated({}, { preventDeletion: true }, { allowedNamespaces: { names: ['elsewhere'] } });
  assert.deepEqual(says, [
    'warning: spec.clusterConfigRef.name: Invalid value: "default": ClusterConfig "default" does not admit namespace "team-a"',
  ]);
});

test('a frozen name is judged, not the one a new template would give', () => {
  const harness = new KindHarness();
  harness.store(clusterConfig({ namespaceNameTemplate: 'kube-{name}' }));
  const labels = {
    'app.kubernetes.io/managed-by': 'homeostat',
    'homeostat.io/owner-kind': 'Environment',
    'homeostat.io/owner-name': 'dev',
    'homeostat.io/owner-namespace': 'team-a',
  };
  const annotations = { 'homeostat.io/owner-uid': 'u' };
  const metadata = { name: 'team-a-dev', labels, annotations };
  harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata });
  assert.deepEqual(harness.judge(KIND, { type: 'create', after: environment({}, { uid: 'u' }) }), []);
});

test('preventDeletion refuses a deletion, and nothing else does', () => {
  const harness = new KindHarness();
  assert.deepEqual(harness.judge(KIND, { type: 'delete', before: environment({ preventDeletion: true }) }), [
    'spec.preventDeletion: Forbidden: Environment "dev" is protected; set spec.preventDeletion to false first',
  ]);
  assert.deepEqual(harness.judge(KIND, { type: 'delete', before: environment({ stage: 'Not Valid' }) }), []);
});

test('denials that rest on other objects name them, so that they are confirmed live', () => {
  const harness = new KindHarness();
  harness.store(clusterConfig({ quotaCeiling: { hard: { pods: 1 } } }));
  const rule = KIND.rules.find(({ id }) => id === 'environment.quota-ceiling');
  const after = harness.store(environment({ resourceQuotas: [{ name: 'q', hard: { pods: 2 } }] }));
  const context = { lookup: harness.lookup, operatorNamespace: 'homeostat-system' };
  const [violation] = rule?.check({ type: 'create', after }, context) ?? [];
  assert.deepEqual(
    violation?.restsOn?.map(({ type, key }) => `${type.kind} ${key.name}`),
    ['ClusterConfig default'],
  );
});

test('members with a team are fine', () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(teamConfig([{ kind: 'User', name: 'ada', role: 'owner' }]));
  const roleBindings = [{ name: 'b', roleRef: { name: 'view' }, subjectsFromTeam: 'owner' }];
  const after = environment({ teamRef: { name: 'team-a' }, roleBindings });
  assert.deepEqual(harness.judge(KIND, { type: 'create', after }), []);
});
