import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { deploy } from './harness.ts';
import { anEnvironment, API_VERSION, Scenario } from './scenario.ts';

const RESYNC_SECONDS = 4;

// One test takes a right on limit ranges away.
const deployment = await deploy({ takesRights: true, flags: { resync: `${RESYNC_SECONDS}s`, 'log-level': 'debug' } });
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

test('the samples become Ready with every step True', async () => {
  await the.applySamples();
  const conditions = await the.value(
    '{range .status.conditions[*]}{.type}={.status} {end}',
    '-n',
    'team-a',
    'env',
    'dev',
  );
  assert.equal(
    conditions,
    [
      'FinalizerEnsured',
      'ClusterConfigResolved',
      'NamespaceNameComputed',
      'NamespaceReady',
      'ResourceQuotasApplied',
      'LimitRangesApplied',
      'ServiceAccountsApplied',
      'RoleBindingsApplied',
      'NetworkPoliciesApplied',
      'Ready',
    ]
      .map((type) => `${type}=True`)
      .join(' '),
  );
});

test('kubectl get shows the columns, wide shows one for each step', async () => {
  const header = (await the.kubectl('get', 'env', '-n', 'team-a')).split('\n')[0]?.split(/\s+/);
  assert.deepEqual(header, ['NAME', 'NAMESPACE', 'CONFIG', 'STEP', 'READY', 'REASON', 'AGE']);
  const wide = (await the.kubectl('get', 'env', '-n', 'team-a', '-o', 'wide')).split('\n')[0]?.split(/\s+/) ?? [];
  assert.equal(wide.length, header.length + 1 + 10, wide.join(' '));
});

test('kubectl explain describes every field of the spec', async () => {
  const text = await the.kubectl('explain', 'environment.spec');
  assert.match(text, /clusterConfigRef/);
  assert.doesNotMatch(text, /<no description>/);
  for (const field of ['resourceQuotas', 'limitRanges', 'serviceAccounts', 'roleBindings', 'networkPolicies']) {
    assert.doesNotMatch(await the.kubectl('explain', `environment.spec.${field}`), /<no description>/, field);
  }
});

for (const { what, spec, says } of [
  {
    what: 'a quantity that is none',
    spec: { resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '4x' } }] },
    says: /spec\.resourceQuotas\[0\]\.hard\[?\.?requests\.cpu\]?: Invalid value: "4x"/,
  },
  {
    what: 'a quota above the ceiling',
    spec: { resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '40' } }] },
    says: /spec\.resourceQuotas\[0\]\.hard\[requests\.cpu\].*requests\.cpu 40 exceeds ClusterConfig "default" ceiling 20/,
  },
  { what: 'an unknown field', spec: { resourceQuotes: [] }, says: /unknown field "spec\.resourceQuotes"/ },
  {
    what: 'a role that is not on the list',
    spec: {
      roleBindings: [{ name: 'x', roleRef: { kind: 'ClusterRole', name: 'cluster-admin' }, subjectsFromTeam: 'owner' }],
    },
    says: /spec\.roleBindings\[0\]\.roleRef\.name.*cluster-admin/,
  },
]) {
  test(`${what} is refused at apply with one message that names the field`, async () => {
    const message = await the.refused(['apply', '-f', '-'], JSON.stringify(anEnvironment('bad', spec)));
    assert.match(message, says);
  });
}

test('a protected namespace is refused at apply', async () => {
  const config = {
    apiVersion: API_VERSION,
    kind: 'ClusterConfig',
    metadata: { name: 'explicit' },
    spec: { allowExplicitNamespace: true },
  };
  await the.apply(config);
  const bad = anEnvironment('bad', { clusterConfigRef: { name: 'explicit' }, targetNamespace: 'kube-system' });
  const message = await the.refused(['apply', '-f', '-'], JSON.stringify(bad));
  assert.match(message, /spec\.targetNamespace.*kube-system.*protected/);
});

test('a role that the user may not bind is refused naming user and role', async () => {
  await the.kubectl('create', 'serviceaccount', 'tenant', '-n', 'team-a');
  await the.kubectl(
    'create',
    'role',
    'envs',
    '-n',
    'team-a',
    '--verb=get,create,patch',
    '--resource=environments.homeostat.io',
  );
  await the.kubectl('create', 'rolebinding', 'envs', '-n', 'team-a', '--role=envs', '--serviceaccount=team-a:tenant');
  const kubeconfig = await plane.serviceAccountKubeconfig('team-a', 'tenant');
  const message = await the.refused(['create', '-f', '-'], JSON.stringify(anEnvironment('mine')), kubeconfig);
  assert.match(message, /system:serviceaccount:team-a:tenant/);
  assert.match(message, /"edit"/);
});

test('a deleted child is back within 5 s', async () => {
  const uid = await the.value('{.metadata.uid}', '-n', 'team-a-dev', 'resourcequota', 'compute');
  await the.kubectl('delete', 'resourcequota', 'compute', '-n', 'team-a-dev');
  await the.becomes(
    '20',
    '{.spec.hard.pods}',
    ['-n', 'team-a-dev', 'resourcequota', 'compute', '--ignore-not-found'],
    5000,
  );
  assert.notEqual(await the.value('{.metadata.uid}', '-n', 'team-a-dev', 'resourcequota', 'compute'), uid);
});

test('an edited managed field reverts', async () => {
  const target = ['-n', 'team-a-dev', 'resourcequota', 'compute'];
  await the.kubectl('patch', ...target, '--type=merge', '-p', '{"spec":{"hard":{"pods":"99"}}}');
  await the.becomes('20', '{.spec.hard.pods}', target, 5000);
});

test('a key or label taken out of the spec is taken off the child', async () => {
  const environment = (quota: object, labels: object) =>
    anEnvironment('shrinks', {
      resourceQuotas: [{ name: 'compute', hard: quota }],
      serviceAccounts: [{ name: 'app', labels }],
    });
  await the.apply(environment({ pods: '5', 'count/secrets': '3' }, { keep: 'yes', drop: 'yes' }));
  await the.becomes('3', '{.spec.hard.count/secrets}', [
    '-n',
    'team-a-shrinks',
    'resourcequota',
    'compute',
    '--ignore-not-found',
  ]);
  await the.becomes('yes', '{.metadata.labels.drop}', ['-n', 'team-a-shrinks', 'sa', 'app', '--ignore-not-found']);
  await the.apply(environment({ pods: '5' }, { keep: 'yes' }));
  await the.becomes('{"pods":"5"}', '{.spec.hard}', ['-n', 'team-a-shrinks', 'resourcequota', 'compute']);
  await the.becomes('', '{.metadata.labels.drop}', ['-n', 'team-a-shrinks', 'sa', 'app']);
  assert.equal(await the.value('{.metadata.labels.keep}', '-n', 'team-a-shrinks', 'sa', 'app'), 'yes');
});

test('what is taken out of the spec is deleted, and a label of the namespace follows the spec', async () => {
  const ranges = [{ name: 'own', limits: [{ type: 'Pod', max: { cpu: '2' } }] }];
  await the.apply(anEnvironment('emptied', { limitRanges: ranges, namespaceLabels: { note: 'old' } }));
  await the.kubectl('wait', 'env', 'emptied', '-n', 'team-a', '--for=condition=Ready', '--timeout=30s');
  const kept = { teamRef: { name: 'team-a' }, namespaceLabels: { note: 'new' } };
  const manifest = { ...anEnvironment('emptied'), spec: kept };
  await the.apply(manifest);
  const children = ['resourcequota/compute', 'limitrange/own', 'serviceaccount/app', 'rolebinding/devs'];
  for (const child of [...children, 'networkpolicy/same']) await the.isGone(child, '-n', 'team-a-emptied');
  await the.becomes('new', '{.metadata.labels.note}', ['namespace', 'team-a-emptied']);
});

test('a foreign namespace is neither adopted nor deleted', async () => {
  await the.kubectl('create', 'namespace', 'team-a-taken');
  const read = async () => the.kubectl('get', 'namespace', 'team-a-taken', '-o', 'json');
  const before = await read();
  await the.apply(anEnvironment('taken'));
  const condition = '{.status.conditions[?(@.type=="NamespaceReady")].reason}';
  await the.becomes('Conflict', condition, ['-n', 'team-a', 'env', 'taken']);
  assert.equal(await the.value('{.status.step}', '-n', 'team-a', 'env', 'taken'), 'EnsureNamespace');
  await the.kubectl('delete', 'env', 'taken', '-n', 'team-a', '--timeout=30s');
  assert.equal(await read(), before);
});

test('a foreign RoleBinding under a child name stays byte-identical', async () => {
  const target = ['rolebinding', 'mine', '-n', 'team-a-dev'];
  await the.kubectl('create', ...target, '--clusterrole=view', '--user=eve');
  const before = await the.kubectl('get', ...target, '-o', 'json');
  const patch = [
    {
      op: 'add',
      path: '/spec/roleBindings/-',
      value: { name: 'mine', roleRef: { kind: 'ClusterRole', name: 'edit' }, subjectsFromTeam: 'owner' },
    },
  ];
  await the.kubectl('patch', 'env', 'dev', '-n', 'team-a', '--type=json', '-p', JSON.stringify(patch));
  await the.becomes('Conflict', '{.status.conditions[?(@.type=="RoleBindingsApplied")].reason}', [
    '-n',
    'team-a',
    'env',
    'dev',
  ]);
  assert.equal(await the.kubectl('get', ...target, '-o', 'json'), before);
  const undo = [{ op: 'remove', path: '/spec/roleBindings/2' }];
  await the.kubectl('patch', 'env', 'dev', '-n', 'team-a', '--type=json', '-p', JSON.stringify(undo));
  await the.becomes('True', '{.status.conditions[?(@.type=="Ready")].status}', ['-n', 'team-a', 'env', 'dev']);
});

test('a new member of the team is in the RoleBinding within 5 s', async () => {
  const member = [{ op: 'add', path: '/spec/members/-', value: { kind: 'User', name: 'zoe', role: 'owner' } }];
  await the.kubectl('patch', 'teamconfig', 'team-a', '--type=json', '-p', JSON.stringify(member));
  await the.becomes('User', '{.subjects[?(@.name=="zoe")].kind}', ['-n', 'team-a-dev', 'rolebinding', 'devs'], 5000);
});

test('a quota raised in the ClusterConfig reaches all that refer to it', async () => {
  const add = { spec: { template: { resourceQuotas: [{ name: 'objects', hard: { 'count/configmaps': '50' } }] } } };
  await the.kubectl('patch', 'clusterconfig', 'default', '--type=merge', '-p', JSON.stringify(add));
  for (const namespace of ['team-a-dev', 'team-a-shrinks']) {
    await the.becomes('50', '{.spec.hard.count/configmaps}', [
      '-n',
      namespace,
      'resourcequota',
      'objects',
      '--ignore-not-found',
    ]);
  }
  const raise = [{ op: 'replace', path: '/spec/template/resourceQuotas/0/hard/count~1configmaps', value: '60' }];
  await the.kubectl('patch', 'clusterconfig', 'default', '--type=json', '-p', JSON.stringify(raise));
  const generation = await the.value('{.metadata.generation}', 'clusterconfig', 'default');
  for (const name of ['dev', 'shrinks']) {
    await the.becomes('60', '{.spec.hard.count/configmaps}', ['-n', `team-a-${name}`, 'resourcequota', 'objects']);
    await the.becomes(generation, '{.status.clusterConfig.generation}', ['-n', 'team-a', 'env', name]);
  }
});

test('with its sixth step failing an Environment says ApplyLimitRanges, the missing verb and the resource', async () => {
  const role = JSON.parse(await the.kubectl('get', 'clusterrole', 'homeostat', '-o', 'json')) as {
    rules: { resources: string[] }[];
  };
  const rules = role.rules.map((rule) => ({
    ...rule,
    resources: rule.resources.filter((name) => name !== 'limitranges'),
  }));
  await the.kubectl('patch', 'clusterrole', 'homeostat', '--type=merge', '-p', JSON.stringify({ rules }));
  await the.apply(anEnvironment('halts'));
  await the.becomes('ApplyLimitRanges', '{.status.step}', ['-n', 'team-a', 'env', 'halts']);
  const message = await the.value(
    '{.status.conditions[?(@.type=="LimitRangesApplied")].message}',
    '-n',
    'team-a',
    'env',
    'halts',
  );
  assert.match(message, /limitranges/);
  assert.match(await the.kubectl('get', 'env', 'halts', '-n', 'team-a'), /ApplyLimitRanges +False/);
  await the.kubectl('patch', 'clusterrole', 'homeostat', '--type=merge', '-p', JSON.stringify({ rules: role.rules }));
  // Any event on the object wakes it before the slow recheck does.
  await the.kubectl('annotate', 'env', 'halts', '-n', 'team-a', 'homeostat.io/requested-at=now');
  await the.kubectl('wait', 'env', 'halts', '-n', 'team-a', '--for=condition=Ready', '--timeout=30s');
});

test('three resyncs at rest send nothing', async () => {
  const before = await the.writes();
  await delay(3.5 * RESYNC_SECONDS * 1000);
  assert.deepEqual((await the.writes()).slice(before.length), []);
  const resyncs = (await deployment.logRecords()).filter((line) =>
    JSON.stringify(line['causes'] ?? '').includes('Resync'),
  );
  assert.ok(resyncs.length >= 3, `${resyncs.length} resyncs`);
});

test('a deleted Environment takes its namespace along and then goes', async () => {
  await the.kubectl('delete', 'env', 'dev', '-n', 'team-a', '--timeout=60s');
  await the.isGone('namespace', 'team-a-dev');
  await the.isGone('env', 'dev', '-n', 'team-a');
});

test('the metrics are for those who may get them: no token 401, a made-up one 401, without the right 403', async () => {
  const [replica] = deployment.replicas;
  const { plane, manifests } = deployment;
  const stranger = await plane.serviceAccountToken(manifests.namespace, 'default');
  const answers = await Promise.all(['', 'made-up', stranger].map(async (token) => replica?.scrape(token)));
  assert.deepEqual(
    answers.map((answer) => answer?.code),
    [401, 401, 403],
  );
  assert.match(answers[2]?.text ?? '', /^User "system:serviceaccount:homeostat-system:default" may not get the URL/);
  assert.ok(!JSON.stringify(await deployment.logRecords()).includes(stranger));
});

test('every log line is strict JSON and the metrics can be read', async () => {
  assert.ok((await deployment.logRecords()).length > 50);
  const [replica] = deployment.replicas;
  const { code, text } = (await replica?.scrape()) ?? { code: 0, text: '' };
  assert.equal(code, 200);
  for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))) {
    assert.match(line, /^[a-zA-Z_:][\w:]*(\{.*\})? -?[\d.e+NaInf-]+$/);
  }
});
