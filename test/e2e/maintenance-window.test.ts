import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toTimestamp } from '../../src/base/clock.ts';
import { kinds } from '../../src/kinds/index.ts';
import { eventually } from '../support/eventually.ts';
import { maintenanceWindow, windowBetween } from '../support/windows.ts';
import { deploy } from './harness.ts';
import { anEnvironment, Scenario } from './scenario.ts';

const HOUR_MS = 3_600_000;
const deployment = await deploy({ flags: { 'log-level': 'debug' } });
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const paused = (member: string): string => `{.status.conditions[?(@.type=="Paused")].${member}}`;
const DEV = ['-n', 'team-a', 'env', 'dev'];
const QUOTA = ['-n', 'team-a-dev', 'resourcequota', 'compute', '--ignore-not-found'];

/** Opens a window from a minute ago on, for this long. Gives its end as readers show it. */
async function open(forMs: number, spec: object = {}, name = 'freeze'): Promise<string> {
  const end = Math.ceil((Date.now() + forMs) / 1000) * 1000;
  await the.apply(windowBetween(end - forMs - 60_000, end, spec, name));
  return toTimestamp(end);
}

async function close(name = 'freeze'): Promise<void> {
  await the.kubectl('delete', 'maintenancewindow', name);
}

test('the samples become Ready, the sample window left closed', async () => {
  await the.applySamples();
  assert.match(
    await the.kubectl('get', 'mw'),
    /weekend-freeze +0 22 \* \* 5 +3360 +Europe\/Berlin +\["PauseReconcile"\] +true/,
  );
});

test('M10: in an open window every kind with steps shows Paused, the window and its end', async () => {
  const end = await open(HOUR_MS, { reason: 'quarter end' });
  for (const { type, samples, pipeline } of kinds) {
    const sample = samples.find(({ kind }) => kind === type.kind);
    if (pipeline === undefined || sample === undefined) continue;
    const { name, namespace } = sample.metadata;
    const target = [...(namespace === undefined ? [] : ['-n', namespace]), `${type.plural}.${type.group}`, name];
    await the.becomes('True', paused('status'), target);
    const message = `maintenance window "freeze" is open until ${end} (quarter end)`;
    assert.equal(await the.value(paused('message'), ...target), message);
  }
  assert.match(await the.kubectl('get', ...DEV), /True +Paused/);
});

test('M9: an Environment that is made in an open window gets conditions and nothing else', async () => {
  await the.apply(anEnvironment('held'));
  await the.becomes('MaintenanceWindow', paused('reason'), ['-n', 'team-a', 'env', 'held']);
  await the.isGone('namespace', 'team-a-held');
  assert.equal(await the.value('{.metadata.finalizers}', '-n', 'team-a', 'env', 'held'), '');
});

test('in an open window drift stays and nothing is sent; when the window goes it is brought back within 5 s', async () => {
  const before = await the.writes();
  await the.kubectl('delete', 'resourcequota', 'compute', '-n', 'team-a-dev');
  await the.kubectl('annotate', ...DEV, 'homeostat.io/requested-at=now');
  await the.kubectl('delete', 'env', 'held', '-n', 'team-a', '--timeout=20s');
  assert.equal(await the.value('{.metadata.name}', ...QUOTA), '');
  assert.deepEqual((await the.writes()).slice(before.length), [], 'deletion of what holds nothing needs no write');
  await close();
  await the.becomes('compute', '{.metadata.name}', QUOTA, 5000);
  await the.becomes('', paused('status'), DEV);
});

test('M6: Events tell of beginning and end, with the name of the window', async () => {
  await eventually('the Events', async () => {
    const notes = await the.kubectl(
      'get',
      'events.events.k8s.io',
      '-n',
      'team-a',
      '-o',
      'jsonpath={range .items[*]}{.reason}: {.note}{"\\n"}{end}',
    );
    return (
      /^Paused: maintenance window "freeze"/m.test(notes) && /^Resumed: .*maintenance window "freeze"/m.test(notes)
    );
  });
});

test('the end of a window wakes what it held, at that moment and by itself', async () => {
  await open(8000);
  await the.becomes('True', paused('status'), DEV, 5000);
  await the.kubectl('delete', 'resourcequota', 'compute', '-n', 'team-a-dev');
  await the.becomes('compute', '{.metadata.name}', QUOTA, 15_000);
  await close();
});

test('DenyChanges refuses at apply with window and end; deletions, metadata and other resources pass', async () => {
  const end = await open(HOUR_MS, { effects: ['DenyChanges'] }, 'q3-freeze');
  const refuse = async (): Promise<string> => {
    const { code, stderr } = await plane.kubectl(['apply', '--dry-run=server', '-f', '-'], {
      stdin: JSON.stringify(anEnvironment('late')),
      mayFail: true,
    });
    return code === 0 ? '' : stderr;
  };
  await eventually('the refusal', async () => (await refuse()) !== '');
  assert.match(await refuse(), new RegExp(`maintenance window "q3-freeze" is open until ${end} and refuses changes`));
  const patch = ['patch', ...DEV, '--type=merge', '-p'];
  assert.match(
    await the.refused([...patch, '{"spec":{"paused":true}}']),
    /"dev" is forbidden: maintenance window "q3-freeze"/,
  );
  await the.kubectl('label', ...DEV, 'example.org/seen=yes');
  await the.kubectl('delete', 'teamconfig', 'nobody', '--ignore-not-found');
});

test('A19 with a window open leases and everything else that is not ours can be changed', async () => {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'node-1', namespace: 'default' },
  };
  await the.apply(lease);
  await the.kubectl(
    'patch',
    'lease',
    'node-1',
    '-n',
    'default',
    '--type=merge',
    '-p',
    '{"spec":{"holderIdentity":"node-1"}}',
  );
  const rules = JSON.parse(await the.kubectl('get', 'validatingwebhookconfiguration', 'homeostat', '-o', 'json')) as {
    webhooks: { rules: { apiGroups: string[] }[] }[];
  };
  const groups = rules.webhooks.flatMap((webhook) => webhook.rules.flatMap(({ apiGroups }) => apiGroups));
  assert.deepEqual([...new Set(groups)], ['homeostat.io']);
});

test('the override takes a right: refused without it, granted with it', async () => {
  await the.kubectl('create', 'serviceaccount', 'tenant', '-n', 'team-a');
  const verbs = '--verb=get,create,patch,update';
  await the.kubectl('create', 'role', 'envs', '-n', 'team-a', verbs, '--resource=environments.homeostat.io');
  await the.kubectl('create', 'rolebinding', 'envs', '-n', 'team-a', '--role=envs', '--serviceaccount=team-a:tenant');
  const kubeconfig = await plane.serviceAccountKubeconfig('team-a', 'tenant');
  const set = ['annotate', ...DEV, 'homeostat.io/ignore-maintenance=true'];
  const said = await the.refused(set, undefined, kubeconfig);
  assert.match(said, /user "system:serviceaccount:team-a:tenant" may not override maintenance windows/);
  await the.kubectl(
    'create',
    'clusterrole',
    'override',
    '--verb=override',
    '--resource=maintenancewindows.homeostat.io',
  );
  await the.kubectl(
    'create',
    'clusterrolebinding',
    'override',
    '--clusterrole=override',
    '--serviceaccount=team-a:tenant',
  );
  // A refusal is remembered for half a minute.
  await eventually(
    'the right to count',
    async () => (await plane.kubectl(set, { kubeconfig, mayFail: true })).code === 0,
    {
      timeoutMs: 45_000,
    },
  );
  await plane.kubectl(['patch', ...DEV, '--type=merge', '-p', '{"spec":{"namespaceLabels":{"example.org/x":"y"}}}'], {
    kubeconfig,
  });
  await the.becomes('y', '{.metadata.labels.example\\.org/x}', ['namespace', 'team-a-dev']);
});

test('what somebody else has exempted is not free for all', async () => {
  await the.kubectl('delete', 'clusterrolebinding', 'override');
  const kubeconfig = await plane.serviceAccountKubeconfig('team-a', 'tenant');
  const patch = [
    'patch',
    ...DEV,
    '--type=merge',
    '-p',
    '{"spec":{"namespaceLabels":{"example.org/x":"z"}}}',
    '--dry-run=server',
  ];
  await eventually(
    'the refusal',
    async () => {
      const { code, stderr } = await plane.kubectl(patch, { kubeconfig, mayFail: true });
      return code !== 0 && /may not override maintenance window "q3-freeze"/.test(stderr);
    },
    { timeoutMs: 45_000 },
  );
});

test('an open window can be ended by editing it, and bad windows are refused at apply', async () => {
  await the.kubectl('patch', 'mw', 'q3-freeze', '--type=merge', '-p', '{"spec":{"suspend":true}}');
  await eventually('changes to pass', async () => {
    const { code } = await plane.kubectl(['apply', '--dry-run=server', '-f', '-'], {
      stdin: JSON.stringify(anEnvironment('late')),
      mayFail: true,
    });
    return code === 0;
  });
  const effects = ['PauseReconcile'];
  const none = await the.refused(['apply', '-f', '-'], JSON.stringify(maintenanceWindow({ effects }, 'none')));
  assert.match(none, /exactly one of once and recurring must be set/);
  const recurring = { schedule: '0 22 * * 7', durationMinutes: 60 };
  const sunday = await the.refused(
    ['apply', '-f', '-'],
    JSON.stringify(maintenanceWindow({ effects, recurring }, 'none')),
  );
  assert.match(sunday, /spec\.recurring\.schedule: .*day of week that is not within 0 and 6: "7"/);
});
