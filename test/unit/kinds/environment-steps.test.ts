import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LIMIT_RANGES,
  NAMESPACES,
  NETWORK_POLICIES,
  RESOURCE_QUOTAS,
  ROLE_BINDINGS,
  SERVICE_ACCOUNTS,
} from '../../../src/kube/well-known.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { clusterConfig, environment, KindHarness, kindNamed, teamConfig } from '../../support/kind-harness.ts';

const OWNER = { kind: 'Group', name: 'admins', role: 'owner' };

/** A harness with the samples of all kinds stored. */
function sampled(): KindHarness {
  const harness = new KindHarness();
  for (const sample of kinds.flatMap((kind) => kind.samples)) if (sample.kind !== 'Namespace') harness.store(sample);
  return harness;
}

/** A harness with a config and an Environment of this spec. */
function withSpec(spec: object, config: object = {}): KindHarness {
  const harness = new KindHarness();
  harness.store(clusterConfig(config));
  harness.store(environment(spec));
  return harness;
}

test('the sample becomes Ready with one create and eight applies besides its own finalizer and status', async () => {
  const harness = sampled();
  await harness.pass();
  const writes = harness.takeWrites();
  const own = writes.filter((write) => write.includes('environments'));
  const rest = writes.filter((write) => !write.includes('environments'));
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.deepEqual(own, [
    'patch environments team-a/dev',
    'patch environments/status team-a/dev',
    'patch environments/status team-a/dev',
  ]);
  assert.deepEqual(
    [rest.length, rest[0], rest.filter((write) => write.startsWith('apply')).length],
    [9, 'create namespaces team-a-dev', 8],
  );
});

test('a namespace of this very pass and what goes into it are made without reading first', async () => {
  const harness = sampled();
  await harness.pass();
  const reads = harness.api.calls.filter(({ verb, resource }) => verb === 'get' && resource !== 'environments');
  assert.deepEqual(reads, []);
});

test('a pass that is held up keeps the inventory that is stored', async () => {
  const harness = sampled();
  await harness.settle();
  const before = (harness.environment?.['status'] as { inventory: object }).inventory;
  harness.editSpec(environment(), (spec) => ({ ...spec, teamRef: { name: 'gone' }, serviceAccounts: [] }));
  await harness.settle();
  assert.equal(harness.state('Ready'), 'False/TeamNotFound');
  assert.deepEqual((harness.environment?.['status'] as { inventory: object }).inventory, before);
});

test('every step of the sample is True and a further pass sends nothing', async () => {
  const harness = sampled();
  await harness.pass();
  harness.takeWrites();
  const outcome = await harness.pass();
  const types = ['FinalizerEnsured', 'ClusterConfigResolved', 'NamespaceNameComputed', 'NamespaceReady'];
  const applied = ['ResourceQuotas', 'LimitRanges', 'ServiceAccounts', 'RoleBindings', 'NetworkPolicies'];
  const states = [...types, ...applied.map((list) => `${list}Applied`)].map((type) => harness.state(type));
  assert.deepEqual(states, [
    'True/Ensured',
    'True/Resolved',
    'True/Computed',
    'True/Active',
    'True/Applied',
    'True/Applied',
    'True/Applied',
    'True/Applied',
    'True/Applied',
  ]);
  assert.deepEqual([outcome.type, harness.takeWrites()], ['noop', []]);
});

test('the status tells namespace, config and inventory', async () => {
  const harness = sampled();
  await harness.pass();
  const status = harness.environment?.['status'] as Readonly<Record<string, unknown>>;
  assert.deepEqual(
    [status['namespace'], status['namespaceUID'], status['inventory']],
    [
      'team-a-dev',
      harness.namespace?.metadata.uid,
      {
        resourceQuotas: ['compute'],
        limitRanges: ['defaults'],
        serviceAccounts: ['app', 'deployer'],
        roleBindings: ['devs', 'readers'],
        networkPolicies: ['default-deny', 'allow-same-namespace'],
      },
    ],
  );
});

test('E1: two bindings of one role both exist and cause no further write', async () => {
  const roleRef = { name: 'view' };
  const subjects = [{ kind: 'User', name: 'eve' }];
  const harness = withSpec({ roleBindings: ['a', 'b'].map((name) => ({ name, roleRef, subjects })) });
  await harness.settle();
  harness.takeWrites();
  for (let resync = 0; resync < 3; resync++) await harness.pass();
  assert.notEqual(harness.child(ROLE_BINDINGS, 'a'), undefined);
  assert.notEqual(harness.child(ROLE_BINDINGS, 'b'), undefined);
  assert.deepEqual(harness.takeWrites(), []);
});

test('E2: what the API server and others write into the status of a quota causes no write', async () => {
  const harness = withSpec({ resourceQuotas: [{ name: 'q', hard: { 'requests.cpu': '1000m' } }] });
  await harness.settle();
  harness.takeWrites();
  harness.api.normalise(RESOURCE_QUOTAS, { namespace: 'team-a-dev', name: 'q' }, (object) => ({
    ...object,
    spec: { hard: { 'requests.cpu': '1' } },
    status: { used: { 'requests.cpu': '300m' } },
  }));
  await harness.pass();
  assert.deepEqual(harness.takeWrites(), []);
});

test('E3: a namespace that is deleted from outside is told of, then made anew', async () => {
  const harness = sampled();
  await harness.settle();
  const key = { name: 'team-a-dev' };
  harness.api.edit(NAMESPACES, key, (object) => ({ ...object, metadata: { ...object.metadata, finalizers: ['x/y'] } }));
  harness.api.remove(NAMESPACES, key);
  await harness.pass();
  assert.equal(harness.state('NamespaceReady'), 'False/NamespaceTerminating');
  harness.api.edit(NAMESPACES, key, (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
  await harness.settle();
  assert.deepEqual(
    [harness.state('Ready'), harness.log.lines.filter(({ level }) => level === 'error')],
    ['True/Ready', []],
  );
});

test('E4: an item that leaves the spec leaves the namespace, and a foreign policy stays', async () => {
  const policy = (name: string) => ({ name, spec: { podSelector: {} } });
  const harness = withSpec({ networkPolicies: [policy('a'), policy('b')] });
  await harness.settle();
  harness.api.seed(NETWORK_POLICIES, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'theirs', namespace: 'team-a-dev' },
  });
  harness.editSpec(environment(), (spec) => ({ ...spec, networkPolicies: [policy('a')] }));
  await harness.settle();
  assert.equal(harness.child(NETWORK_POLICIES, 'b'), undefined);
  assert.notEqual(harness.child(NETWORK_POLICIES, 'theirs'), undefined);
});

test('E5: an Environment made anew under its old name takes its namespace and records the new uid', async () => {
  const harness = sampled();
  await harness.settle();
  const before = harness.namespace?.metadata.uid;
  const type =
    harness.environment === undefined ? undefined : kinds.find(({ type: { kind } }) => kind === 'Environment')?.type;
  assert.ok(type !== undefined);
  harness.api.edit(type, { namespace: 'team-a', name: 'dev' }, (object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: [] },
  }));
  harness.api.remove(type, { namespace: 'team-a', name: 'dev' });
  const sample = kinds.flatMap((kind) => kind.samples).find(({ kind }) => kind === 'Environment');
  assert.ok(sample !== undefined);
  harness.store(sample);
  await harness.settle();
  assert.equal(harness.namespace?.metadata.uid, before);
  assert.equal(harness.namespace?.metadata.annotations?.['homeostat.io/owner-uid'], harness.environment?.metadata.uid);
  assert.equal(harness.state('Ready'), 'True/Ready');
});

test('E6: a foreign namespace of that name is a conflict, told once, and is left as it is', async () => {
  const harness = withSpec({});
  const theirs = harness.api.seed(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team-a-dev' },
  });
  await harness.settle();
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'False/Conflict');
  assert.deepEqual(harness.namespace, theirs);
  assert.deepEqual(harness.reasons.filter((reason) => reason === 'NamespaceConflict').length, 1);
});

test('a namespace in conflict is looked at again, since nothing may tell that it went', async () => {
  const harness = withSpec({});
  harness.api.seed(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a-dev' } });
  const outcome = await harness.settle();
  assert.deepEqual([outcome.type, 'requeueAfterMs' in outcome && outcome.requeueAfterMs], ['waiting', 300_000]);
});

test('E10: pull secrets that others added stay and cause no write', async () => {
  const harness = withSpec({ serviceAccounts: [{ name: 'app', imagePullSecrets: [{ name: 'ours' }] }] });
  await harness.settle();
  harness.api.edit(SERVICE_ACCOUNTS, { namespace: 'team-a-dev', name: 'app' }, (object) => ({
    ...object,
    imagePullSecrets: [{ name: 'ours' }, { name: 'theirs' }],
    secrets: [{ name: 'token' }],
  }));
  harness.takeWrites();
  for (let resync = 0; resync < 3; resync++) await harness.pass();
  assert.deepEqual(harness.takeWrites(), []);
  assert.deepEqual(harness.child(SERVICE_ACCOUNTS, 'app')?.['imagePullSecrets'], [
    { name: 'ours' },
    { name: 'theirs' },
  ]);
});

test('E11: another role replaces the binding and one Event tells of it', async () => {
  const binding = (role: string) => ({ name: 'b', roleRef: { name: role }, subjects: [{ kind: 'User', name: 'eve' }] });
  const harness = withSpec({ roleBindings: [binding('view')] });
  await harness.settle();
  const before = harness.child(ROLE_BINDINGS, 'b')?.metadata.uid;
  harness.editSpec(environment(), (spec) => ({ ...spec, roleBindings: [binding('edit')] }));
  await harness.settle();
  const after = harness.child(ROLE_BINDINGS, 'b');
  assert.notEqual(after?.metadata.uid, before);
  assert.equal((after?.['roleRef'] as { name: string }).name, 'edit');
  assert.equal(harness.reasons.filter((reason) => reason === 'RoleBindingReplaced').length, 1);
});

for (const [what, before, after] of [
  ['other scopes', ['BestEffort'], ['NotBestEffort']],
  ['a scope for none', undefined, ['BestEffort']],
  ['no scope for one', ['BestEffort'], undefined],
] as const) {
  test(`a quota gets ${what} by being replaced, since its scopes cannot be changed, and one Event tells of it`, async () => {
    const quota = (scopes: readonly string[] | undefined) => ({
      name: 'q',
      hard: { pods: '1' },
      ...(scopes && { scopes }),
    });
    const harness = withSpec({ resourceQuotas: [quota(before)] });
    await harness.settle();
    const old = harness.child(RESOURCE_QUOTAS, 'q')?.metadata.uid;
    harness.editSpec(environment(), (spec) => ({ ...spec, resourceQuotas: [quota(after)] }));
    await harness.settle();
    const made = harness.child(RESOURCE_QUOTAS, 'q');
    assert.notEqual(made?.metadata.uid, old);
    assert.deepEqual((made?.['spec'] as { scopes?: unknown }).scopes ?? [], after ?? []);
    assert.equal(harness.reasons.filter((reason) => reason === 'ResourceQuotaReplaced').length, 1);
  });
}

test('E15: what keeps a terminating namespace is told in its own words', async () => {
  const harness = withSpec({});
  await harness.settle();
  const key = { name: 'team-a-dev' };
  const conditions = [{ type: 'NamespaceFinalizersRemaining', status: 'True', message: 'x/y in 1 resource instances' }];
  harness.api.edit(NAMESPACES, key, (object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: ['x/y'] },
    status: { phase: 'Terminating', conditions },
  }));
  harness.api.remove(NAMESPACES, key);
  await harness.pass();
  assert.equal(
    harness.condition('NamespaceReady')?.message,
    'Namespace "team-a-dev" is being deleted and cannot go: NamespaceFinalizersRemaining: x/y in 1 resource instances',
  );
});

test('C5: an Environment without its config waits for it, then becomes Ready', async () => {
  const harness = new KindHarness();
  harness.store(environment({}));
  const waiting = await harness.settle();
  assert.deepEqual([waiting.type, harness.state('ClusterConfigResolved')], ['waiting', 'False/NotFound']);
  harness.store(clusterConfig());
  await harness.settle();
  assert.deepEqual([harness.state('Ready'), harness.reasons.includes('ConfigNotFound')], ['True/Ready', true]);
});

test('C6: an edit of the config reaches its Environments and shows as its generation', async () => {
  const quota = (pods: string) => ({ template: { resourceQuotas: [{ name: 'all', hard: { pods } }] } });
  const harness = withSpec({}, quota('10'));
  await harness.settle();
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, ...quota('20') }));
  await harness.settle();
  const status = harness.environment?.['status'] as { clusterConfig: { generation: number } };
  assert.equal(status.clusterConfig.generation, 2);
  assert.deepEqual(harness.child(RESOURCE_QUOTAS, 'all')?.['spec'], { hard: { pods: '20' } });
  assert.equal(harness.reasons.includes('DriftCorrected'), false);
});

test('C8: Environments of a broken config wait without an Event or an error line of their own', async () => {
  const harness = withSpec({}, { protectedNamespaces: ['('] });
  const outcome = await harness.settle();
  assert.deepEqual([outcome.type, harness.state('ClusterConfigResolved')], ['waiting', 'False/Invalid']);
  assert.deepEqual([harness.reasons, harness.log.lines.filter(({ level }) => level === 'error')], [[], []]);
});

test('C10: a config that stops admitting the namespace prunes nothing', async () => {
  const harness = withSpec({ limitRanges: [{ name: 'l', limits: [{ type: 'Container', max: { cpu: '1' } }] }] });
  await harness.settle();
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, allowedNamespaces: { names: ['elsewhere'] } }));
  await harness.settle();
  assert.equal(harness.state('ClusterConfigResolved'), 'False/NotAdmitted');
  assert.notEqual(harness.child(LIMIT_RANGES, 'l'), undefined);
});

test('T3: bindings stay while the team cannot be found', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  const roleBindings = [{ name: 'b', roleRef: { name: 'view' }, subjectsFromTeam: 'owner' }];
  harness.store(environment({ teamRef: { name: 'team-a' }, roleBindings }));
  harness.store(teamConfig([OWNER]));
  await harness.settle();
  const team = kinds.find(({ type }) => type.kind === 'TeamConfig');
  assert.ok(team !== undefined);
  harness.api.remove(team.type, { name: 'team-a' });
  await harness.settle();
  assert.equal(harness.state('Ready'), 'False/TeamNotFound');
  assert.notEqual(harness.child(ROLE_BINDINGS, 'b'), undefined);
});

test('T4: a new member of the team becomes a subject of its bindings', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  const roleBindings = [{ name: 'b', roleRef: { name: 'view' }, subjectsFromTeam: 'owner' }];
  harness.store(environment({ teamRef: { name: 'team-a' }, roleBindings }));
  harness.store(teamConfig([OWNER]));
  await harness.settle();
  harness.editSpec(teamConfig([]), () => ({ members: [OWNER, { kind: 'User', name: 'ada', role: 'owner' }] }));
  await harness.settle();
  const subjects = harness.child(ROLE_BINDINGS, 'b')?.['subjects'] as readonly { name: string }[];
  assert.deepEqual(
    subjects.map(({ name }) => name),
    ['admins', 'ada'],
  );
});

test('a subject that somebody adds to a binding of nobody is taken out', async () => {
  const roleBindings = [{ name: 'b', roleRef: { name: 'view' }, subjectsFromTeam: 'maintainer' }];
  const harness = withSpec({ teamRef: { name: 'team-a' }, roleBindings });
  harness.store(teamConfig([OWNER]));
  await harness.settle();
  const binding = { namespace: 'team-a-dev', name: 'b' };
  harness.api.edit(ROLE_BINDINGS, binding, (object) => ({ ...object, subjects: [{ kind: 'User', name: 'eve' }] }));
  await harness.settle();
  assert.deepEqual(harness.child(ROLE_BINDINGS, 'b')?.['subjects'] ?? [], []);
});

test('a status that names as many accounts as there can be fits its schema', async () => {
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}` }));
  const harness = withSpec(
    { serviceAccounts: [{ name: 'default' }, ...names('o', 19)] },
    { template: { serviceAccounts: names('t', 20) } },
  );
  await harness.settle();
  // The account that every namespace has stays when the spec no longer names it.
  harness.editSpec(environment(), (spec) => ({ ...spec, serviceAccounts: names('o', 20) }));
  await harness.settle();
  const { environment: stored } = harness;
  assert.deepEqual(stored === undefined ? ['gone'] : kindNamed('Environment').schema.violations(stored), []);
});
