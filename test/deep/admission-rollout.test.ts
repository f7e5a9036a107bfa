import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { deploy } from '../e2e/harness.ts';
import type { Replica } from '../e2e/harness-replica.ts';
import { API_VERSION, Scenario } from '../e2e/scenario.ts';
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

test('A20 A21 with every replica gone other objects are created, ours say why not, and the service comes back by itself', async () => {
  for (const replica of deployment.replicas) if (replica.process.isRunning()) await replica.kill();
  await eventually('creations of ours to fail', async () => (await createTeam('down', '?dryRun=All')).code === 500);
  const { body } = await createTeam('down', '?dryRun=All');
  assert.match(JSON.stringify(body), /failed calling webhook.*validate\.teamconfigs\.homeostat\.io/);
  await the.kubectl('create', 'configmap', 'other', '--from-literal=a=b');
  await the.kubectl('create', 'serviceaccount', 'homeostat-again', '-n', manifests.namespace);
  await deployment.scaleUp();
  await eventually('creations of ours to succeed', async () => (await createTeam('up')).code === 201);
});
