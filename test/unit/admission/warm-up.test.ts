import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warmUpHook } from '../../../src/admission/warm-up.ts';
import type { KubeObject, Manifest } from '../../../src/base/object.ts';
import { gadget, gadgetHook, gadgetSlice } from './gadget.ts';

const sample = gadget({ size: 2, stage: 'dev' }) as unknown as Manifest;

for (const phase of ['mutate', 'validate', 'protect'] as const) {
  test(`the ${phase} hook answers its golden review, with a sample and without`, async () => {
    await warmUpHook(gadgetHook(phase), gadgetSlice(), [sample], 'homeostat-system');
    await warmUpHook(gadgetHook(phase), gadgetSlice(), [], 'homeostat-system');
  });
}

test('a piece that is missing is named with its hook', async () => {
  const mutate = (): KubeObject => {
    throw new Error("Cannot find module './template.ts'");
  };
  await assert.rejects(warmUpHook(gadgetHook('mutate'), gadgetSlice({ mutate }), [sample], 'homeostat-system'), {
    code: 'HOMEOSTAT_WARM_UP_FAILED',
    message: /Hook mutate\.gadgets\.test\.homeostat\.io cannot answer its golden review for CREATE: Cannot find module/,
  });
});

test('a mutator that is not idempotent is refused', async () => {
  const mutate = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { n: `${object.metadata.labels?.['n'] ?? ''}x` } },
  });
  await assert.rejects(warmUpHook(gadgetHook('mutate'), gadgetSlice({ mutate }), [sample], 'homeostat-system'), {
    message: /changes again what it has completed/,
  });
});
