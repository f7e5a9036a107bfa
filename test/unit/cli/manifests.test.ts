import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../../src/base/object.ts';
import { version } from '../../../src/cli/version.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { defaultManifestSettings, type ManifestSettings } from '../../../src/manifests/settings.ts';
import { byName } from '../../support/kustomize.ts';
import { temporaryFolder } from '../../support/openssl.ts';
import { commandLine } from './commands.ts';

const settings = defaultManifestSettings(version());

async function printed(...flags: readonly string[]): Promise<readonly Manifest[]> {
  const { code, out, err } = await commandLine('manifests', ...flags);
  assert.deepEqual([code, err], [0, []]);
  // Our own objects.
  return parseAllDocuments(out.join('\n')).map((document) => document.toJS() as Manifest);
}

test('without a flag it prints install.yaml', async () => {
  assert.deepEqual(byName(await printed()), byName(renderInstallation(kinds, settings)));
});

test('each wish has a flag', async () => {
  const wishes: ManifestSettings = {
    ...settings,
    namespace: 'elsewhere',
    replicas: 3,
    certificates: { mode: 'self-managed' },
    stages: ['acc', 'prod'],
    networkPolicy: true,
    monitoring: true,
    priorityClassName: 'high',
  };
  const objects = await printed(
    ...['--namespace=elsewhere', '--replicas=3', '--certificates=self-managed', '--stages=acc,prod'],
    ...['--network-policy', '--monitoring', '--priority-class=high'],
  );
  assert.deepEqual(byName(objects), byName(renderInstallation(kinds, wishes)));
});

for (const stages of ['Dev', 'dev,dev', 'dev,', 'a'.repeat(41)]) {
  test(`--stages=${stages} is refused`, async () => {
    const { code, err } = await commandLine('manifests', `--stages=${stages}`);
    assert.equal(code, 2);
    assert.match(err.join(), /Flag --stages: .* is no stage, or there twice/);
  });
}

test('a folder is the same one however it is spelled', async (t) => {
  const folder = temporaryFolder(t);
  for (const spelling of [folder, `${folder}/`, `${folder}/./`]) {
    const { code, err } = await commandLine('manifests', '--out', spelling);
    assert.deepEqual([code, err], [0, []], spelling);
  }
  const { code } = await commandLine('manifests', '--out', `${folder}/`, '--check');
  assert.equal(code, 0);
});
