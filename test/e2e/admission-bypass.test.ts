import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Manifest } from '../../src/base/object.ts';
import { eventually } from '../support/eventually.ts';
import { BYPASSING_OBJECTS, type BypassingObject, manifestsOf } from '../support/bypassing-objects.ts';
import { deploy } from './harness.ts';
import { API_VERSION, Scenario } from './scenario.ts';

const deployment = await deploy();
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());
await the.kubectl('create', 'namespace', 'team-a');

const ROOT = `/apis/${API_VERSION}`;
const pathOf = ({ kind, metadata }: Manifest): string =>
  kind === 'ClusterConfig' ? `${ROOT}/clusterconfigs` : `${ROOT}/namespaces/${metadata.namespace}/environments`;
const create = async (object: Manifest, query = '') => plane.request('POST', `${pathOf(object)}${query}`, object);

const ROUNDS = 100;

test('a ClusterConfig and what it grants are accepted together, a hundred times after deletion', async () => {
  const config: Manifest = {
    apiVersion: API_VERSION,
    kind: 'ClusterConfig',
    metadata: { name: 'grants' },
    spec: {
      allowExplicitNamespace: true,
      allowedClusterRoles: ['granted'],
      allowedLabelPrefixes: ['istio.io/'],
      quotaCeiling: { hard: { pods: '500' } },
    },
  };
  const granted: Manifest = {
    apiVersion: API_VERSION,
    kind: 'Environment',
    metadata: { name: 'granted', namespace: 'team-a' },
    spec: {
      clusterConfigRef: { name: 'grants' },
      paused: true,
      targetNamespace: 'granted',
      namespaceLabels: { 'istio.io/rev': 'stable' },
      resourceQuotas: [{ name: 'compute', hard: { pods: '400' } }],
      roleBindings: [
        { name: 'x', roleRef: { kind: 'ClusterRole', name: 'granted' }, subjects: [{ kind: 'User', name: 'eve' }] },
      ],
    },
  };
  const refusals: unknown[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const object of [config, granted]) {
      const { code, body } = await create(object);
      if (code !== 201) refusals.push({ round, kind: object.kind, code, body });
    }
    for (const object of [granted, config]) {
      const path = `${pathOf(object)}/${object.metadata.name}`;
      await eventually(`${path} to be gone`, async () => (await plane.request('DELETE', path)).code === 404, {
        intervalMs: 20,
      });
    }
  }
  assert.deepEqual(refusals, []);
});

const said = new Map<string, string>();

test('with the webhooks there, each object that breaks a rule is refused by it', async () => {
  for (const [index, bypassing] of BYPASSING_OBJECTS.entries()) {
    const { config, object } = manifestsOf(bypassing, `b${index}`);
    if (config !== undefined) assert.equal((await create(config)).code, 201);
    const { code, body } = await create(object, '?dryRun=All');
    assert.equal(code, 422, bypassing.rule);
    // A Status with its causes.
    const { causes } = (body as { readonly details: { readonly causes: readonly Record<string, string>[] } }).details;
    assert.equal(causes.length, 1, JSON.stringify(causes));
    said.set(bypassing.rule, `${causes[0]?.['field']}: ${causes[0]?.['message']}`);
  }
});

test('with both webhook configurations deleted, each is a condition in the same words and nothing is made for it', async () => {
  const earlier = await the.writes();
  for (const { kind, name } of deployment.manifests.webhookConfigurations) await the.kubectl('delete', kind, name);
  await eventually('the webhooks to be forgotten', async () => {
    const { object } = manifestsOf(BYPASSING_OBJECTS[0] ?? assert.fail('no object'), 'probe');
    return (await create(object, '?dryRun=All')).code === 201;
  });
  for (const [index, bypassing] of BYPASSING_OBJECTS.entries()) {
    const { object } = manifestsOf(bypassing, `b${index}`);
    assert.equal((await create(object)).code, 201, bypassing.rule);
  }
  for (const [index, bypassing] of BYPASSING_OBJECTS.entries()) await assertReported(bypassing, `b${index}`);
  const writes = (await the.writes()).slice(earlier.length);
  assert.deepEqual(
    writes.filter((write) => !/ (environments|clusterconfigs)\//.test(write)),
    [],
  );
});

test('each of them is deleted as any other', async () => {
  for (const [index, bypassing] of BYPASSING_OBJECTS.entries()) {
    const { config, object } = manifestsOf(bypassing, `b${index}`);
    for (const doomed of config === undefined ? [object] : [object, config]) {
      const path = `${pathOf(doomed)}/${doomed.metadata.name}`;
      await eventually(`${path} to be gone`, async () => (await plane.request('DELETE', path)).code === 404);
    }
  }
});

async function assertReported(bypassing: BypassingObject, name: string): Promise<void> {
  const { object } = manifestsOf(bypassing, name);
  const words = said.get(bypassing.rule) ?? '';
  let last = '';
  await eventually(
    `${bypassing.rule} to be reported as: ${words}`,
    async () => {
      const { body } = await plane.request('GET', `${pathOf(object)}/${name}`);
      last = JSON.stringify(body);
      return JSON.stringify(body).includes(JSON.stringify(words).slice(1, -1));
    },
    { details: () => last },
  );
}
