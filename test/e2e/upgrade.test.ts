import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Condition } from '../../src/base/object.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { eventually } from '../support/eventually.ts';
import { PREVIOUS_CONFIG, PREVIOUS_ENVIRONMENT, PREVIOUS_MANIFESTS, RENAMED } from '../support/previous-release.ts';
import { deploy, type Release } from './harness.ts';
import { homeostat } from './harness-lone-service.ts';
import { Scenario } from './scenario.ts';
import { UserLoad } from './user-load.ts';

const ENVIRONMENTS = ['dev', 'int', 'prod'];
const CHILDREN = 'namespace,resourcequota,limitrange,serviceaccount,networkpolicy,rolebinding';

const PREVIOUS: Release = { manifests: PREVIOUS_MANIFESTS, entry: join(import.meta.dirname, 'previous-service.ts') };

const deployment = await deploy({
  release: PREVIOUS,
  replicas: 2,
  flags: { 'shutdown-delay': '2s' },
  // The rights of the release before do not suffice for what this one looks at.
  takesRights: true,
});
const { plane, manifests } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const LEASE = ['-n', manifests.namespace, 'lease', 'homeostat'];

async function conditionsOf(name: string): Promise<readonly Condition[]> {
  // As the API server validated them.
  return JSON.parse(await the.value('{.status.conditions}', '-n', 'team-a', 'env', name)) as readonly Condition[];
}

/** Version of every child, by its name: what nobody writes stays at its version. */
async function childVersions(): Promise<string> {
  const columns = 'custom-columns=:kind,:metadata.namespace,:metadata.name,:metadata.resourceVersion,:metadata.uid';
  return the.kubectl('get', CHILDREN, '-A', '-l', 'homeostat.io/owner-kind=Environment', '-o', columns, '--no-headers');
}

/** The release before holds the Lease: who runs now answers reviews and reconciles nothing. */
async function leadAsPreviousRelease(holder: string): Promise<void> {
  const spec = { holderIdentity: holder, leaseDurationSeconds: holder === '' ? 1 : 3600 };
  await the.kubectl('patch', ...LEASE, '--type=merge', '-p', JSON.stringify({ spec }));
}

async function writePreviousStatus(name: string): Promise<void> {
  const conditions = (await conditionsOf(name)).map((condition) =>
    condition.type === RENAMED.after ? { ...condition, type: RENAMED.before } : condition,
  );
  const patch = JSON.stringify({ status: { conditions } });
  // Under the manager of the service: a condition that somebody else wrote would be left alone.
  const manager = `--field-manager=${environmentKind.controller}`;
  await the.kubectl('patch', 'env', name, '-n', 'team-a', '--subresource=status', manager, '--type=merge', '-p', patch);
}

async function roll(): Promise<void> {
  for (const old of deployment.replicas.filter(({ process }) => process.isRunning())) {
    await deployment.scaleUp();
    assert.equal(await old.stop(), 0);
  }
}

test('the release before has converged, and has left its statuses as it wrote them', async () => {
  await the.kubectl('create', 'namespace', 'team-a');
  const { metadata } = PREVIOUS_ENVIRONMENT;
  const environments = ENVIRONMENTS.map((name) => ({ ...PREVIOUS_ENVIRONMENT, metadata: { ...metadata, name } }));
  await the.apply(PREVIOUS_CONFIG, ...environments);
  for (const name of ENVIRONMENTS) {
    await the.kubectl('wait', 'env', name, '-n', 'team-a', '--for=condition=Ready', '--timeout=60s');
  }
  await Promise.all(deployment.replicas.map(async (replica) => replica.stop()));
  await leadAsPreviousRelease('previous-release');
  await Promise.all([deployment.scaleUp(PREVIOUS), deployment.scaleUp(PREVIOUS)]);
  for (const name of ENVIRONMENTS) await writePreviousStatus(name);
  const types = (await conditionsOf('dev')).map(({ type }) => type);
  assert.deepEqual([types.includes(RENAMED.before), types.includes(RENAMED.after)], [true, false]);
});

test('an upgrade under load fails no request, renames the condition, and writes no child', async (t) => {
  const children = await childVersions();
  assert.ok(children.split('\n').length >= 2 * ENVIRONMENTS.length, children);
  const load = UserLoad.start(plane, 40);
  t.after(async () => load.stop());
  await eventually('the load to flow', () => load.answered > 10);
  await deployment.applyManifests();
  await roll();
  await leadAsPreviousRelease('');
  for (const name of ENVIRONMENTS) {
    const renamed = async (): Promise<boolean> => (await conditionsOf(name)).some(({ type }) => type === RENAMED.after);
    await eventually(`the condition of ${name} to have its name of today`, renamed);
  }
  await load.stop();
  t.diagnostic(`${load.answered} requests of users, ${load.failures.length} failed`);
  assert.deepEqual(load.failures, []);
  for (const name of ENVIRONMENTS) {
    const conditions = await conditionsOf(name);
    assert.equal(conditions.find(({ type }) => type === 'Ready')?.status, 'True');
    assert.ok(!conditions.some(({ type }) => type === RENAMED.before));
  }
  assert.equal(await childVersions(), children);
});

test('everything is of one version then, and the kinds that came with it are judged', async () => {
  const { code, stdout } = await homeostat(['verify', '--wait=60s', `--kubeconfig=${plane.kubeconfig}`], plane.folder);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /answers +MaintenanceWindow +well/);
});
