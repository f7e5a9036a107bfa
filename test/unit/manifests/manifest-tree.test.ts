import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { renderManifests } from '../../../src/manifests/manifest-tree.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { DEFAULT_SIGNER, defaultManifestSettings, type ManifestSettings } from '../../../src/manifests/settings.ts';
import { allVariants, featuresOf } from '../../../src/manifests/variants.ts';
import { buildKustomization, byName } from '../../support/kustomize.ts';

const settings = defaultManifestSettings('1.2.3');
const files = renderManifests(kinds, settings);
const features = featuresOf(settings);

for (const variant of allVariants(settings)) {
  test(`${variant.folder} builds exactly what the renderer makes of the same wishes`, () => {
    const built = byName(buildKustomization(files, variant.folder));
    assert.deepEqual(built, byName(renderInstallation(kinds, variant.settings)));
  });
}

test('install.yaml is the overlay of cert-manager', () => {
  const install = renderInstallation(kinds, settings);
  assert.deepEqual(byName(buildKustomization(files, 'overlays/cert-manager')), byName(install));
});

/** The component of a part, or the one that corrects it for a way to certificates. */
const componentFor = (name: string, mode: string): string => {
  const corrected = `${name}-${mode}`;
  return files.some(({ path }) => path === `${corrected}/kustomization.yaml`) ? corrected : name;
};

for (const certificates of [{ mode: 'self-managed' }, { mode: 'csr', signer: DEFAULT_SIGNER }] as const) {
  test(`components go together with ${certificates.mode}`, () => {
    const components = features.map(({ name }) => `../${componentFor(name, certificates.mode)}`);
    const own = {
      path: 'mine/kustomization.yaml',
      documents: [{ resources: [`../overlays/${certificates.mode}`], components }],
    };
    const wanted = features.reduce<ManifestSettings>((made, { add }) => add(made), { ...settings, certificates });
    const built = byName(buildKustomization([...files, own], 'mine'));
    assert.deepEqual(built, byName(renderInstallation(kinds, wanted)));
  });
}

test('no file is rendered twice', () => {
  const paths = files.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
});

test('the folders carry the image and the namespace that were asked for', () => {
  const asked = { ...settings, namespace: 'elsewhere', image: 'example.com/homeostat:9' };
  const text = JSON.stringify(buildKustomization(renderManifests(kinds, asked), 'overlays/self-managed'));
  assert.ok(!text.includes(settings.namespace) && !text.includes(settings.image));
});

test('the sharded folders are for the stages that were asked for', () => {
  const asked = { ...settings, stages: ['acc'] };
  const built = buildKustomization(renderManifests(kinds, asked), 'overlays/sharded');
  assert.deepEqual(
    built.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name),
    ['homeostat', 'homeostat-stage-acc'],
  );
});
