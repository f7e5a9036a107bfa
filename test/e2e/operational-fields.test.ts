import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord } from '../../src/base/json.ts';
import { deploy } from './harness.ts';
import { homeostat } from './harness-lone-service.ts';
import { anEnvironment, Scenario } from './scenario.ts';

const RESYNC_SECONDS = 20;

// The look at the registered webhook configurations has a period of its own and concerns no object: it is off, so that whatever the
// audit log holds here was sent for an Environment.
const deployment = await deploy({ flags: { resync: `${RESYNC_SECONDS}s`, 'log-level': 'debug', 'hook-check': '0s' } });
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const DEV = ['-n', 'team-a', 'env', 'dev'];
const QUOTA = ['-n', 'team-a-dev', 'resourcequota', 'compute'];

function conditionOf(type: string, member: 'status' | 'reason' | 'message'): string {
  return `{.status.conditions[?(@.type=="${type}")].${member}}`;
}

/** Audit entries of the service's own requests about team-a/dev and its namespace, Leases apart. */
async function requests(): Promise<readonly string[]> {
  const entries = await plane.auditEntries({ user: deployment.user });
  return entries
    .filter(({ objectRef, verb }) => objectRef?.resource !== 'leases' && verb !== 'watch')
    .map(
      ({ verb, objectRef }) =>
        `${verb} ${objectRef?.resource}/${objectRef?.subresource ?? ''} ${objectRef?.name ?? ''}`,
    );
}

test('the samples become Ready, and the history in the status tells of it', async () => {
  await the.applySamples();
  const history: unknown = JSON.parse(await the.value('{.status.reconcileHistory}', ...DEV));
  assert.ok(Array.isArray(history) && history.length > 0 && history.length <= 5);
  const last: unknown = history.at(-1);
  assert.ok(isRecord(last));
  assert.deepEqual([last['outcome'], last['generation']], ['Ready', 1]);
});

test('a resync every 20 s at rest leaves no Event, no patch and no entry in the audit log', async () => {
  await delay(3000);
  const before = await requests();
  await delay((2 * RESYNC_SECONDS + 4) * 1000);
  assert.deepEqual((await requests()).slice(before.length), []);
});

test('an edit that changes only the generation is answered by one status patch and no Event', async () => {
  const before = await requests();
  await the.kubectl('patch', ...DEV, '--type=merge', '-p', '{"spec":{"deletionPolicy":"Orphan"}}');
  await the.becomes('2', '{.status.observedGeneration}', DEV);
  await delay(3000);
  const sent = (await requests()).slice(before.length).filter((request) => !request.startsWith('get '));
  assert.deepEqual(sent, ['patch environments/status dev']);
});

test('a suspended Environment says so and corrects nothing until it goes on', async () => {
  await the.kubectl('annotate', ...DEV, 'homeostat.io/suspend=true');
  await the.becomes('True', conditionOf('Suspended', 'status'), DEV);
  await the.kubectl('delete', ...QUOTA);
  await delay(3000);
  assert.equal(await the.value('{.metadata.name}', ...QUOTA, '--ignore-not-found'), '');
  assert.match(await the.kubectl('describe', ...DEV), /Suspended/);
  await the.kubectl('annotate', ...DEV, 'homeostat.io/suspend-');
  await the.becomes('compute', '{.metadata.name}', [...QUOTA, '--ignore-not-found']);
  await the.becomes('', conditionOf('Suspended', 'status'), DEV);
});

test('a request by annotation is answered in the status', async () => {
  await the.kubectl('annotate', ...DEV, 'homeostat.io/requested-at=2026-01-01T00:00:00Z');
  await the.becomes('2026-01-01T00:00:00Z', '{.status.lastHandledRequestedAt}', DEV);
});

test('step 6 of 10 fails: kubectl get and describe say which', async () => {
  await the.kubectl('create', 'namespace', 'elsewhere');
  const range = { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } };
  const foreign = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'theirs', namespace: 'team-a-dev' },
    ...range,
  };
  await the.apply(foreign);
  const add = { spec: { limitRanges: [{ name: 'theirs', ...range.spec }] } };
  await the.kubectl('patch', ...DEV, '--type=merge', '-p', JSON.stringify(add));
  await the.becomes('ApplyLimitRanges', '{.status.step}', DEV);
  assert.match(await the.kubectl('get', ...DEV), /ApplyLimitRanges +False +Conflict/);
  const described = await the.kubectl('describe', ...DEV);
  assert.match(described, /LimitRange team-a-dev\/theirs belongs to/);
  assert.match(described, /Waits for ApplyLimitRanges/);
});

test('homeostat status names the error behind it, the children there are and what woke the Environment', async () => {
  const status = (...flags: readonly string[]) =>
    homeostat(['status', 'env', 'dev', '-n', 'team-a', `--kubeconfig=${plane.kubeconfig}`, ...flags], plane.folder);
  const shown = await status();
  assert.deepEqual([shown.code, shown.stderr], [0, '']);
  assert.match(shown.stdout, /^Environment team-a\/dev {2}Ready False {2}Conflict: /);
  assert.match(shown.stdout, /^Busy: repeated error\. Conflict: /m);
  const json: unknown = JSON.parse((await status('-o', 'json')).stdout);
  assert.ok(isRecord(json) && Array.isArray(json['children']));
  const named = await the.kubectl(
    'get',
    'resourcequota,limitrange,serviceaccount,rolebinding,networkpolicy,namespace',
    '-A',
    '-o',
    'name',
    '-l',
    'homeostat.io/owner-name=dev',
  );
  assert.equal(json['children'].length, named.trim().split('\n').length);
});

test('homeostat status -o json says of steps, passes, Events and unrest what the cluster holds', async () => {
  const flags = ['status', 'env', 'dev', '-n', 'team-a', `--kubeconfig=${plane.kubeconfig}`, '-o', 'json'];
  const shown: unknown = JSON.parse((await homeostat(flags, plane.folder)).stdout);
  const stored: unknown = JSON.parse(await the.kubectl('get', ...DEV, '-o', 'json'));
  assert.ok(isRecord(shown) && isRecord(stored) && isRecord(stored['status']));
  const { conditions, reconcileHistory, step } = stored['status'];
  assert.ok(Array.isArray(conditions) && Array.isArray(shown['steps']) && Array.isArray(shown['events']));
  const summaries = ['Ready', 'Reconciling', 'Stalled', 'Suspended', 'Paused'];
  assert.deepEqual(
    shown['steps'],
    conditions.filter(isRecord).filter(({ type }) => !summaries.includes(String(type))),
  );
  assert.deepEqual([shown['history'], shown['step']], [reconcileHistory, step]);
  assert.deepEqual(shown['unrest'], { cause: 'repeated error', what: `Conflict: ${String(shown['message'])}` });
  const events: unknown = JSON.parse(
    await the.kubectl(
      'get',
      'events.events.k8s.io',
      '-n',
      'team-a',
      '--field-selector=regarding.name=dev',
      '-o',
      'json',
    ),
  );
  assert.ok(isRecord(events) && Array.isArray(events['items']));
  const reasons = new Set(events['items'].filter(isRecord).map(({ reason }) => reason));
  assert.ok(shown['events'].length === Math.min(5, events['items'].length));
  assert.ok(shown['events'].filter(isRecord).every(({ reason }) => reasons.has(reason)));
});

test('the obstacle goes, and a request wakes the Environment at once', async () => {
  await the.kubectl('delete', 'limitrange', 'theirs', '-n', 'team-a-dev');
  await the.kubectl('annotate', ...DEV, 'homeostat.io/requested-at=now', '--overwrite');
  await the.becomes('True', conditionOf('Ready', 'status'), DEV, 5000);
});

test('a refusal by a policy of the cluster heals without an edit when the policy is gone', async () => {
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'no-accounts' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['serviceaccounts'] },
        ],
      },
      validations: [{ expression: 'object.metadata.name != "late"', message: 'no account of that name' }],
    },
  };
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'no-accounts' },
    spec: { policyName: 'no-accounts', validationActions: ['Deny'] },
  };
  await the.apply(policy, binding);
  await delay(3000);
  await the.apply(anEnvironment('refused', { serviceAccounts: [{ name: 'late' }] }));
  const refused = ['-n', 'team-a', 'env', 'refused'];
  await the.becomes('ApplyServiceAccounts', '{.status.step}', refused);
  assert.match(
    await the.value(conditionOf('ServiceAccountsApplied', 'message'), ...refused),
    /no account of that name/,
  );
  await the.kubectl('delete', 'validatingadmissionpolicybinding', 'no-accounts');
  await the.becomes('True', conditionOf('Ready', 'status'), refused, 120_000);
  assert.equal(await the.value('{.metadata.generation}', ...refused), '1');
});

test('somebody who undoes every correction is named by the breaker, and the object rests', async () => {
  const undo = (pods: number): Promise<string> =>
    the.kubectl('patch', ...QUOTA, '--type=merge', '-p', JSON.stringify({ spec: { hard: { pods: String(pods) } } }));
  for (let turn = 0; turn < 120; turn++) {
    await undo(100 + turn);
    const reason = await the.value(conditionOf('ResourceQuotasApplied', 'reason'), ...DEV);
    if (reason === 'ReconcileLoop') break;
  }
  assert.match(
    await the.value(conditionOf('Ready', 'message'), ...DEV),
    /ResourceQuota team-a-dev\/compute \/spec\/hard\/pods/,
  );
  assert.match(await the.kubectl('get', ...DEV), /ApplyResourceQuotas +False +ReconcileLoop/);
});
