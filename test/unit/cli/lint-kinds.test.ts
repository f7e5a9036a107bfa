import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lintKinds } from '../../../src/cli/lint-kinds.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';

test('the manifests of the shipped kinds have no defect of L01 to L27, however they are installed', () => {
  assert.deepEqual(lintKinds(kinds, defaultManifestSettings('1.2.3')), []);
});

test('a mutator that never comes to rest is found', () => {
  let pass = 0;
  const restless = kinds.map((kind) => ({
    ...kind,
    ...(kind.mutate === undefined
      ? {}
      : { mutate: () => ({ ...kind.samples[0], metadata: { name: `n${pass++}` } }) as never }),
  }));
  assert.ok(lintKinds(restless, defaultManifestSettings('1.2.3')).some((line) => line.startsWith('L13 ')));
});
