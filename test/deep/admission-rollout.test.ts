import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { deploy } from '../e2e/harness.ts';
import type { Replica } from '../e2e/harness-replica.ts';
import { API_VERSION, Scenario } from '../e2e/scenario.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { Manifest } from '../../src/base/object.ts';
import { conditionsOf } from '../../src/status/conditions.ts';
import { startLoad } from '../e2e/steady-load.ts';

const deployment = await deploy({ replicas: 2, flags: { 'shutdown-delay': '3s' } });
const { plane, manifests } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const TEAM = {
  apiVersion: API_VERSION,
  kind: 'TeamConfig',
  metadata: { name: 'load' },
  spec: { members: [{ kind: 'User', name: 'eve', role: 'owner' }] },
};
const createTeam = async (name: string, query = '') =>
  plane.request('POST', `/apis/${API_VERSION}/teamconfigs${query}`, { ...TEAM, metadata: { name } });

const NODE_READY = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });

function pathOf({ apiVersion, kind, metadata }: Manifest): string {
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const plural = kinds.find(({ type }) => type.kind === kind)?.type.plural ?? assert.fail(`No kind ${kind}`);
  return `/apis/${apiVersion}${within}/${plural}`;
}

function reviewOfTeam(): string {
  const resource = { group: 'homeostat.io', version: 'v1alpha1', resource: 'teamconfigs' };
  const request = {
    uid: 'load',
    resource,
    name: 'load',
    operation: 'CREATE',
    dryRun: false,
    object: TEAM,
    userInfo: { username: 'eve' },
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

test('A02 B-45 a rolling restart of two replicas loses none of 200 reviews a second', async () => {
  const host = await the.value('{.spec.externalName}', '-n', manifests.namespace, 'service', manifests.service);
  const load = startLoad({
    host,
    path: '/validate/teamconfigs.homeostat.io?timeout=5s',
    body: reviewOfTeam(),
    perSecond: 200,
  });
  for (const old of [...deployment.replicas]) {
    await deployment.scaleUp();
    assert.equal(await old.stop(), 0);
  }
  await load.stop();
  assert.deepEqual(load.failures, []);
  assert.ok(load.answered >= 1000, `${load.answered} reviews`);
});

/** More than there are: the last round ends a replica that is ready. */
const PHASES = 9;

test('SIGTERM at every phase of the start ends it in an orderly way', async () => {
  for (let phases = 0; phases <= PHASES; phases++) {
    const known = new Set(deployment.replicas);
    const starting = deployment.scaleUp().then(
      () => undefined,
      () => undefined,
    );
    const replica = await eventually('the replica to be there', () =>
      deployment.replicas.find((one) => !known.has(one)),
    );
    await eventually(
      `${phases} phases`,
      async () => (await phasesOf(replica)) >= phases || replica.isReady() || !replica.process.isRunning(),
      {
        intervalMs: 5,
        timeoutMs: 120_000,
      },
    );
    assert.equal(await replica.stop(), 0, `after ${phases} phases\n${await deployment.describe()}`);
    await starting;
  }
});

/** Phases that have started; less than none before the service has said its first word. */
async function phasesOf(replica: Replica): Promise<number> {
  const lines = (await readFile(replica.process.log, 'utf8')).split('\n');
  return lines.filter((line) => line.includes('"phase"')).length - (lines.length > 1 ? 0 : 1);
}

test('A27 a dry run of each kind is answered and writes nothing', async () => {
  const namespaces = kinds.flatMap(({ samples }) => samples).filter(({ kind }) => kind === 'Namespace');
  for (const namespace of new Map(namespaces.map((one) => [one.metadata.name, one])).values()) {
    assert.equal((await plane.request('POST', '/api/v1/namespaces', namespace)).code, 201);
  }
  const samples = kinds.flatMap((kind) => kind.samples.filter((sample) => sample.kind === kind.type.kind));
  for (const config of samples.filter(({ kind }) => kind === 'ClusterConfig')) {
    assert.equal((await plane.request('POST', pathOf(config), config)).code, 201);
  }
  await eventually('the config to be accepted', async () =>
    (await the.value('{.status.conditions[?(@.type=="Ready")].status}', 'clusterconfig', 'default')).includes('True'),
  );
  const before = (await the.writes()).length;
  for (const sample of samples) {
    const copy = { ...sample, metadata: { ...sample.metadata, name: `${sample.metadata.name}-dry` } };
    const { code, body } = await plane.request('POST', `${pathOf(copy)}?dryRun=All`, copy);
    assert.equal(code, 201, JSON.stringify(body));
    assert.equal((await plane.request('GET', `${pathOf(copy)}/${copy.metadata.name}`)).code, 404);
  }
  assert.deepEqual((await the.writes()).slice(before), []);
});

test('A18 A20 A21 with every replica gone other objects are created, ours say why not, and the service comes back by itself', async () => {
  for (const replica of deployment.replicas) if (replica.process.isRunning()) await replica.kill();
  await eventually('creations of ours to fail', async () => (await createTeam('down', '?dryRun=All')).code === 500);
  const { body } = await createTeam('down', '?dryRun=All');
  assert.match(JSON.stringify(body), /failed calling webhook.*validate\.teamconfigs\.homeostat\.io/);
  await the.kubectl('create', 'configmap', 'other', '--from-literal=a=b');
  await plane.request('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  await the.kubectl('patch', 'node', 'n', '--subresource=status', '--type=merge', `-p=${NODE_READY}`);
  await the.kubectl('create', 'serviceaccount', 'homeostat-again', '-n', manifests.namespace);
  await deployment.scaleUp();
  await eventually('creations of ours to succeed', async () => (await createTeam('up')).code === 201);
});

/** Refused by a rule that the CRD does not hold. */
const UNSEEN: Manifest = {
  apiVersion: API_VERSION,
  kind: 'Environment',
  metadata: { name: 'unseen', namespace: 'team-a' },
  spec: { namespaceLabels: { ok: 'not ok!' } },
};

test('A45 what a hook that fails open lets through while the service is down is told by the controller, which makes nothing', async () => {
  for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}/homeostat`;
    // A webhook configuration.
    const { webhooks, ...rest } = (await plane.request('GET', path)).body as { readonly webhooks: readonly object[] };
    const open = webhooks.map((webhook) => ({ ...webhook, failurePolicy: 'Ignore' }));
    assert.equal((await plane.request('PUT', path, { ...rest, webhooks: open })).code, 200);
  }
  for (const replica of deployment.replicas) if (replica.process.isRunning()) await replica.kill();
  await eventually(
    'the policy to be known',
    async () => (await plane.request('POST', pathOf(UNSEEN), UNSEEN)).code === 201,
  );
  const before = (await the.writes()).length;
  await deployment.scaleUp();
  await eventually('the condition', async () => {
    const { body } = await plane.request('GET', `${pathOf(UNSEEN)}/unseen`);
    // An Environment.
    return conditionsOf(body as Parameters<typeof conditionsOf>[0]).some(
      ({ type, reason }) => type === 'Ready' && reason === 'Invalid',
    );
  });
  const made = (await the.writes()).slice(before).filter((write) => !/ (environments|clusterconfigs)\//.test(write));
  assert.deepEqual(made, []);
});

test('A22 a namespace that holds an Environment is gone within a minute', async () => {
  await the.kubectl('delete', 'namespace', 'team-a', '--timeout=60s');
});
