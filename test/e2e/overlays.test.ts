import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/base/object.ts';
import { kinds } from '../../src/kinds/index.ts';
import { renderInstallation } from '../../src/manifests/render.ts';
import { defaultManifestSettings } from '../../src/manifests/settings.ts';
import { allVariants } from '../../src/manifests/variants.ts';
import { version } from '../../src/cli/version.ts';
import { startControlPlane } from '../controlplane/start.ts';
import { byName } from '../support/kustomize.ts';

const manifests = join(import.meta.dirname, '..', '..', 'manifests');
const plane = await startControlPlane();
after(async () => plane.close());

const built = async (folder: string): Promise<readonly Manifest[]> => {
  const { stdout } = await plane.kubectl(['kustomize', join(manifests, folder)]);
  // Our own objects, as kustomize writes them.
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
};

for (const { folder, settings } of allVariants(defaultManifestSettings(version()))) {
  test(`kubectl builds manifests/${folder} to what the renderer makes of the same wishes`, async () => {
    assert.deepEqual(byName(await built(folder)), byName(renderInstallation(kinds, settings)));
  });
}

test('an overlay is applied by kubectl apply -k, again without a change, and with strict fields', async () => {
  const apply = async (...args: readonly string[]) =>
    plane.kubectl(['apply', '--server-side', '--validate=strict', '-o', 'name', ...args]);
  const overlay = join(manifests, 'overlays', 'self-managed');
  const { stdout } = await apply('-k', overlay);
  assert.match(stdout, /deployment\.apps\/homeostat/);
  const difference = await plane.kubectl(['diff', '--server-side', '-k', overlay], { mayFail: true });
  assert.deepEqual(difference, { code: 0, stdout: '', stderr: '' });
});

test('the policies and the priority class are accepted by the API server', async () => {
  const objects = [...(await built('overlays/network-policy')), ...(await built('overlays/priority-class'))];
  const wanted = objects.filter(({ kind }) => kind === 'NetworkPolicy' || kind === 'Deployment');
  const stdin = wanted.map((object) => JSON.stringify(object)).join('\n');
  const args = ['apply', '--server-side', '--force-conflicts', '--validate=strict', '--dry-run=server', '-f', '-'];
  const { stdout } = await plane.kubectl(args, { stdin });
  assert.equal(stdout.split('\n').filter((line) => line.includes('networkpolicy')).length, 3);
});
