import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFlags } from '../../e2e/harness-manifests.ts';

test('flags replace those of the same name and keep the rest', () => {
  assert.deepEqual(withFlags(['run', '--webhook-port=9443', '--webhook-portal=x'], { 'webhook-port': 1 }), [
    'run',
    '--webhook-portal=x',
    '--webhook-port=1',
  ]);
});
