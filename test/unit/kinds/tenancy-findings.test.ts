import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';

const KIND = kindNamed('Environment');

/** What the rules refuse in one item, without the path to it; there is no config, so nothing else is said. */
function refused(list: string, item: object): readonly string[] {
  const spec = { [list]: [{ name: 'x', ...item }] };
  return new KindHarness()
    .judge(KIND, { type: 'create', after: environment(spec) })
    .filter((line) => !line.startsWith('warning: '))
    .map((line) => line.replace(`spec.${list}[0].`, ''));
}

test('a quota amount must be a quantity that is not negative', () => {
  assert.deepEqual(refused('resourceQuotas', { hard: { pods: '4x' } }), [
    `hard[pods]: Invalid value: "4x": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' and lie within 2^63-1`,
  ]);
  assert.deepEqual(refused('resourceQuotas', { hard: { 'requests.cpu': '-1' } }), [
    'hard[requests.cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ]);
});

test('what is counted is a whole number', () => {
  assert.deepEqual(refused('resourceQuotas', { hard: { pods: '500m', 'count/jobs.batch': '1.5', 'a.b/gpu': '1m' } }), [
    'hard[pods]: Invalid value: "500m": must be an integer',
    'hard[count/jobs.batch]: Invalid value: "1.5": must be an integer',
    'hard[a.b/gpu]: Invalid value: "1m": must be an integer',
  ]);
});

test('a quota names standard resources or such with a domain', () => {
  const hard = { cpus: '1', 'example.com/gpu': '1', 'requests.example.com/gpu': '1', 'hugepages-2Mi': '1' };
  assert.deepEqual(refused('resourceQuotas', { hard }), [
    'hard[cpus]: Invalid value: "cpus": must be a standard resource for quotas',
  ]);
  const [said = ''] = refused('resourceQuotas', { hard: { 'hugepages-!': '1' } });
  assert.match(said, /^hard\[hugepages-!\]: Invalid value: "hugepages-!": name part must consist/);
});

test('requests above limits could never be used up', () => {
  assert.deepEqual(refused('resourceQuotas', { hard: { 'requests.cpu': '2', 'limits.cpu': '1500m' } }), [
    'hard[requests.cpu]: Invalid value: "2": must not exceed limits.cpu 1500m',
  ]);
  assert.deepEqual(refused('resourceQuotas', { hard: { memory: '2Gi', 'limits.memory': '1Gi' } }), [
    'hard[memory]: Invalid value: "2Gi": must not exceed limits.memory 1Gi',
  ]);
});

for (const [own, ceiling] of [
  ['cpu', 'requests.cpu'],
  ['requests.memory', 'memory'],
  ['ephemeral-storage', 'requests.ephemeral-storage'],
  ['requests.hugepages-2Mi', 'hugepages-2Mi'],
  ['count/secrets', 'secrets'],
  ['services', 'count/services'],
] as const) {
  test(`a quota of ${own} is held to a ceiling of ${ceiling}, of an Environment as of a template`, () => {
    const quota = { name: 'q', hard: { [own]: '21' } };
    const config = { quotaCeiling: { hard: { [ceiling]: '20' } } };
    const says = `hard[${own}]: Invalid value: "21": ${own} 21 exceeds ClusterConfig "default" ceiling ${ceiling} 20`;
    const harness = new KindHarness();
    harness.store(clusterConfig(config));
    const inSpec = harness.judge(KIND, { type: 'create', after: environment({ resourceQuotas: [quota] }) });
    assert.ok(inSpec.includes(`spec.resourceQuotas[0].${says}`), inSpec.join('\n'));
    const after = clusterConfig({ ...config, template: { resourceQuotas: [quota] } });
    assert.deepEqual(harness.judge(kindNamed('ClusterConfig'), { type: 'create', after }), [
      `spec.template.resourceQuotas[0].${says}`,
    ]);
  });
}

test('a resource that a quota and its ceiling name twice is held to each, and what is not the same is free', () => {
  const harness = new KindHarness();
  harness.store(clusterConfig({ quotaCeiling: { hard: { secrets: '5', 'count/secrets': '4', pods: '3' } } }));
  const hard = { 'count/secrets': '5', secrets: '4', 'count/pods': '9' };
  assert.deepEqual(
    harness.judge(KIND, { type: 'create', after: environment({ resourceQuotas: [{ name: 'q', hard }] }) }),
    [
      'spec.resourceQuotas[0].hard[count/secrets]: Invalid value: "5": count/secrets 5 exceeds ClusterConfig "default" ceiling 4',
    ],
  );
});

test('a scope suits only some resources', () => {
  const hard = { 'requests.storage': '1Gi' };
  assert.deepEqual(refused('resourceQuotas', { hard, scopes: ['NotTerminating'] }), [
    'scopes: Invalid value: ["NotTerminating"]: unsupported scope applied to resource',
  ]);
  assert.deepEqual(refused('resourceQuotas', { hard, scopes: ['VolumeAttributesClass'] }), []);
});

test('a scope selector has values exactly where its operator compares', () => {
  const selecting = (...matchExpressions: readonly object[]) =>
    refused('resourceQuotas', { hard: { pods: 1 }, scopeSelector: { matchExpressions } });
  assert.deepEqual(selecting({ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }), []);
  assert.deepEqual(selecting({ scopeName: 'PriorityClass', operator: 'In' }), [
    "scopeSelector.matchExpressions[0].values: Required value: must be at least one value when `operator` is 'In' or 'NotIn'",
  ]);
  assert.deepEqual(selecting({ scopeName: 'BestEffort', operator: 'In', values: ['x'] }), [
    'scopeSelector.matchExpressions[0].operator: Invalid value: "In": must be \'Exists\' when scope is BestEffort',
  ]);
});

test('scopes that exclude each other are refused', () => {
  assert.deepEqual(refused('resourceQuotas', { hard: { pods: 1 }, scopes: ['BestEffort', 'NotBestEffort'] }), [
    'scopes: Invalid value: ["BestEffort","NotBestEffort"]: "BestEffort" and "NotBestEffort" exclude each other',
  ]);
});

test('a limit range keeps minimum, default request, default and maximum in order', () => {
  const limit = (amounts: object) => refused('limitRanges', { limits: [{ type: 'Container', ...amounts }] });
  assert.deepEqual(limit({ min: { cpu: '2' }, max: { cpu: '1' } }), [
    'limits[0].min[cpu]: Invalid value: "2": must not exceed max 1',
  ]);
  assert.deepEqual(limit({ default: { cpu: '3' }, max: { cpu: '2' } }), [
    'limits[0].default[cpu]: Invalid value: "3": must not exceed max 2',
  ]);
  assert.deepEqual(limit({ min: { cpu: '500m' }, default: { cpu: '0.1' } }), [
    'limits[0].default[cpu]: Invalid value: "0.1": must not be below min 500m',
  ]);
  assert.deepEqual(limit({ defaultRequest: { cpu: '1' }, default: { cpu: '900m' } }), [
    'limits[0].defaultRequest[cpu]: Invalid value: "1": must not exceed default 900m',
  ]);
  assert.deepEqual(limit({ min: { cpu: '1000m' }, max: { cpu: 1 } }), []);
});

test('a limit range has no defaults for Pods, a bound for claims, and each type once', () => {
  const limits = [
    { type: 'Pod', default: { cpu: '1' } },
    { type: 'PersistentVolumeClaim', default: { storage: '1Gi' } },
    { type: 'Pod', max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '0.5' } },
  ];
  assert.deepEqual(refused('limitRanges', { limits }), [
    'limits[0].default: Forbidden: may not be specified when `type` is Pod',
    'limits[1]: Required value: either minimum or maximum storage value is required',
    'limits[2].type: Duplicate value: "Pod"',
    'limits[2].maxLimitRequestRatio[cpu]: Invalid value: "0.5": must not be below 1',
  ]);
});

test('a limit range names resources that there are, keeps to its ratio, and requests whole what is not shared', () => {
  const limits = [
    { type: 'Container', max: { gpu: '2' } },
    {
      type: 'Pod',
      max: { cpu: '2', memory: '3Gi' },
      min: { cpu: '1', memory: '1Gi' },
      maxLimitRequestRatio: { cpu: '2.5', memory: 3 },
    },
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi', cpu: '1', gpu: '1' } },
  ];
  assert.deepEqual(refused('limitRanges', { limits }), [
    'limits[0].max[gpu]: Invalid value: "gpu": must be a standard resource for containers',
    'limits[1].maxLimitRequestRatio[cpu]: Invalid value: "2.5": must not exceed max 2 divided by min 1',
    'limits[2].max[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
  ]);
  const device = 'example.com/device';
  const devices = (request: number) => ({
    limits: [{ type: 'Container', default: { [device]: 2, cpu: 2 }, defaultRequest: { [device]: request, cpu: 1 } }],
  });
  assert.deepEqual(refused('limitRanges', devices(1)), [
    `limits[0].defaultRequest[${device}]: Invalid value: 1: must be equal to the default limit 2: it is not shared`,
  ]);
  assert.deepEqual(refused('limitRanges', devices(2)), []);
});

test('a limit range is judged with the defaults that the API server makes of its bounds', () => {
  const gpu = 'example.com/gpu';
  const container = { type: 'Container', max: { [gpu]: '4' }, defaultRequest: { [gpu]: '1' } };
  assert.deepEqual(refused('limitRanges', { limits: [container] }), [
    `limits[0].defaultRequest[${gpu}]: Invalid value: "1": must be equal to the default limit 4: it is not shared`,
  ]);
  const claim = { ...container, type: 'PersistentVolumeClaim', max: { storage: '1Gi', [gpu]: '4' } };
  const taken = [claim, { type: 'Container', max: { [gpu]: '4' }, min: { [gpu]: '1' } }, { type: 'Pod', default: {} }];
  assert.deepEqual(refused('limitRanges', { limits: taken }), []);
});

test('a ratio is compared as the API server does, in wholes where amounts are large', () => {
  const limit = { type: 'Pod', max: { memory: '8E' }, min: { memory: '1Mi' }, maxLimitRequestRatio: { memory: '9E' } };
  assert.deepEqual(refused('limitRanges', { limits: [limit] }), [
    'limits[0].maxLimitRequestRatio[memory]: Invalid value: "9E": must not exceed max 8E divided by min 1Mi',
  ]);
});

test('an account carries no marks of tools and no broken labels', () => {
  const item = {
    labels: { 'bad key': 'x' },
    annotations: { 'argocd.argoproj.io/sync-wave': '1', 'eks.amazonaws.com/role-arn': 'a' },
  };
  const says = refused('serviceAccounts', item);
  assert.match(says[0] ?? '', /^labels: Invalid value: "bad key": name part must consist/);
  assert.deepEqual(says.slice(1), [
    'annotations[argocd.argoproj.io/sync-wave]: Forbidden: "argocd.argoproj.io/sync-wave" belongs to a tool',
  ]);
});

test('a service account as subject needs a namespace', () => {
  const item = { roleRef: { name: 'view' }, subjects: [{ kind: 'ServiceAccount', name: 'x' }] };
  assert.deepEqual(refused('roleBindings', item), [
    'subjects[0].namespace: Required value: a ServiceAccount needs a namespace',
  ]);
});

test('a service account as subject has a name that one can have, users and groups any', () => {
  const subjects = [
    { kind: 'ServiceAccount', name: 'Build_Bot', namespace: 'x' },
    { kind: 'User', name: 'Build_Bot@example.com' },
    { kind: 'Group', name: 'system:serviceaccounts' },
  ];
  const [said = '', ...more] = refused('roleBindings', { roleRef: { name: 'view' }, subjects });
  assert.match(said, /^subjects\[0\]\.name: Invalid value: "Build_Bot": a lowercase RFC 1123 subdomain must consist/);
  assert.deepEqual(more, []);
});

test('a peer is either addresses or selectors', () => {
  const message = 'either ipBlock or selectors, and at least one of them';
  const ingress = [{ from: [{}, { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }, { namespaceSelector: {} }] }];
  assert.deepEqual(refused('networkPolicies', { spec: { ingress } }), [
    `spec.ingress[0].from[0]: Invalid value: ${message}`,
    `spec.ingress[0].from[1]: Invalid value: ${message}`,
  ]);
});

test('blocks, exceptions and ranges of ports are checked as the API server does', () => {
  const to = [{ ipBlock: { cidr: '10.0.0.1/8', except: ['11.0.0.0/16'] } }];
  const ports = [{ port: 80, endPort: 79 }, { port: '80' }];
  assert.deepEqual(refused('networkPolicies', { spec: { egress: [{ to, ports }] } }), [
    'spec.egress[0].ports[0].endPort: Invalid value: 79: must be greater than or equal to `port`',
    'spec.egress[0].ports[1].port: Invalid value: "80": must contain at least one letter (a-z)',
    'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
  ]);
});

test('operators of selectors and their values have to fit', () => {
  const matchExpressions = [
    { key: 'a', operator: 'In' },
    { key: 'b', operator: 'Exists', values: ['x'] },
  ];
  assert.deepEqual(refused('networkPolicies', { spec: { podSelector: { matchExpressions } } }), [
    "spec.podSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    "spec.podSelector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  ]);
});

test('E1: two items of one name are refused by the schema', () => {
  const item = { name: 'view', roleRef: { kind: 'ClusterRole', name: 'view' } };
  const violations = KIND.schema.violations(KIND.schema.prepare(environment({ roleBindings: [item, item] })));
  assert.deepEqual(
    violations.map(({ type }) => type),
    ['FieldValueDuplicate'],
  );
});
