import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { valueAt } from '../../src/base/field-path.ts';
import type { Manifest } from '../../src/base/object.ts';
import { version } from '../../src/cli/version.ts';
import { kinds } from '../../src/kinds/index.ts';
import { renderInstallation } from '../../src/manifests/render.ts';
import { defaultManifestSettings, type ManifestSettings } from '../../src/manifests/settings.ts';
import { allVariants } from '../../src/manifests/variants.ts';
import { toolProgram } from '../controlplane/program-path.ts';
import { byName } from '../support/kustomize.ts';

const chart = join(import.meta.dirname, '..', '..', 'manifests', 'chart');
const helm = await toolProgram('helm');

type Values = Readonly<Record<string, unknown>>;

async function run(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(helm, [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function setting(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
}

async function rendered(values: Values, namespace = 'homeostat-system'): Promise<readonly Manifest[]> {
  // A definition that is kept bears an annotation which kustomize's has not.
  const all = { 'crds.keep': false, ...values };
  const output = await run(['template', 'homeostat', chart, '--namespace', namespace, ...setting(all)]);
  // Our own objects, as Helm writes them; a part that is left out leaves an empty document.
  return parseAllDocuments(output).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

/** The values that ask for what the settings ask for. */
function valuesFor(settings: ManifestSettings): Values {
  const { certificates } = settings;
  return {
    'certificates.mode': certificates.mode,
    ...(certificates.mode === 'csr'
      ? { 'certificates.csr.signer': certificates.signer, 'certificates.csr.authority': certificates.authority ?? '' }
      : {}),
    stages: settings.stages,
    replicas: settings.replicas,
    'networkPolicy.enabled': settings.networkPolicy,
    'monitoring.enabled': settings.monitoring,
    priorityClassName: settings.priorityClassName ?? '',
  };
}

/** Helm makes the namespace itself, or finds it. */
function withoutNamespace(objects: readonly Manifest[]): readonly Manifest[] {
  return objects.filter(({ kind }) => kind !== 'Namespace');
}

const settings = defaultManifestSettings(version());

for (const variant of allVariants(settings)) {
  test(`the chart renders what ${variant.folder} is`, async () => {
    const wanted = withoutNamespace(renderInstallation(kinds, variant.settings));
    assert.deepEqual(byName(await rendered(valuesFor(variant.settings))), byName(wanted));
  });
}

test('the chart without a value is the default installation', async () => {
  assert.deepEqual(byName(await rendered({})), byName(withoutNamespace(renderInstallation(kinds, settings))));
});

test('everything at once, in another namespace, is what the renderer makes of it', async () => {
  const authority = '-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n';
  const wishes: ManifestSettings = {
    ...settings,
    namespace: 'elsewhere',
    replicas: 3,
    certificates: { mode: 'csr', signer: 'example.com/serving', authority },
    stages: ['dev', 'int', 'prod'],
    networkPolicy: true,
    monitoring: true,
    priorityClassName: 'important',
  };
  const wanted = byName(withoutNamespace(renderInstallation(kinds, wishes)));
  assert.deepEqual(byName(await rendered(valuesFor(wishes), 'elsewhere')), wanted);
});

async function pod(values: Values): Promise<unknown> {
  const deployment = (await rendered(values)).find(({ kind }) => kind === 'Deployment');
  return valueAt(deployment, ['spec', 'template', 'spec']);
}

test('the image of the Jobs follows the image of the Pods', async () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const container = valueAt(await pod({ 'image.repository': 'example.com/h', 'image.digest': digest }), [
    'containers',
    0,
  ]);
  assert.equal(valueAt(container, ['image']), `example.com/h@${digest}`);
  assert.ok(
    JSON.stringify(valueAt(container, ['env'])).includes(`{"name":"POD_IMAGE","value":"example.com/h@${digest}"}`),
  );
});

test('the heap follows the memory limit', async () => {
  const heap = async (memory: string) => JSON.stringify(await pod({ 'resources.limits.memory': memory }));
  assert.match(await heap('1Gi'), /--max-old-space-size=795 /);
  assert.match(await heap('512Mi'), /--max-old-space-size=385 /);
  await assert.rejects(rendered({ 'resources.limits.memory': '400M' }), /resources\.limits\.memory must be/);
});

test('values reach the Pods', async () => {
  const text = JSON.stringify(
    await pod({
      'vault.address': 'https://vault.example.org:8200',
      'vault.clusterId': 'prod-1',
      logLevel: 'debug',
      extraArgs: ['--workers=8'],
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      imagePullSecrets: [{ name: 'pull' }],
      podLabels: { team: 'platform' },
      extraEnv: [{ name: 'A', value: 'b' }],
    }),
  );
  for (const part of [
    '--vault-address=https://vault.example.org:8200',
    '--cluster-id=prod-1',
    '--log-level=debug',
    '--workers=8',
  ])
    assert.ok(text.includes(JSON.stringify(part)), part);
  for (const part of ['"nodeSelector":{"disk":"fast"}', '"key":"a"', '"name":"pull"', '{"name":"A","value":"b"}'])
    assert.ok(text.includes(part), part);
});

test('definitions are upgraded with the chart, and left when it goes', async () => {
  const definitions = (await rendered({ 'crds.keep': true })).filter(({ kind }) => kind === 'CustomResourceDefinition');
  assert.equal(definitions.length, kinds.length);
  for (const { metadata } of definitions) assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep');
  const none = await rendered({ 'crds.install': false });
  assert.ok(none.every(({ kind }) => kind !== 'CustomResourceDefinition'));
});

test('a value that is not there, or is not what it should be, is refused', async () => {
  await assert.rejects(rendered({ replica: 3 }), /additional properties 'replica' not allowed/);
  await assert.rejects(rendered({ 'certificates.mode': 'acme' }), /certificates\/mode/);
  await assert.rejects(rendered({ stages: ['Dev'] }), /stages/);
});

test('helm finds nothing wrong with the chart', async () => {
  assert.match(await run(['lint', '--strict', chart]), /1 chart\(s\) linted, 0 chart\(s\) failed/);
});
