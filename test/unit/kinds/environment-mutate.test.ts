import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { KubeObject } from '../../../src/base/object.ts';
import { environment, kindNamed } from '../../support/kind-harness.ts';

const { mutate } = kindNamed('Environment');

function mutated(spec: unknown, metadata: object = {}): { readonly spec: unknown; readonly labels: unknown } {
  // The mutating hook sees objects before their schema, so they are not of the kind's type.
  const given = { ...environment({}, metadata), spec } as unknown as KubeObject;
  const object = mutate?.(given) ?? given;
  return { spec: (object as KubeObject & { readonly spec: unknown }).spec, labels: object.metadata.labels };
}

test('the stage is trimmed, lower-cased and mirrored into its label', () => {
  assert.deepEqual(mutated({ stage: '  DEV ' }), { spec: { stage: 'dev' }, labels: { 'homeostat.io/stage': 'dev' } });
});

test('a label of another stage is put right and other labels stay', () => {
  const labels = { 'homeostat.io/stage': 'prod', app: 'x' };
  assert.deepEqual(mutated({ stage: 'dev' }, { labels }).labels, { 'homeostat.io/stage': 'dev', app: 'x' });
});

test('a stage that is none is left for the schema to refuse', () => {
  for (const stage of ['a b', '', 7, null, undefined]) {
    assert.deepEqual(mutated({ stage }), { spec: { stage }, labels: undefined });
  }
  assert.deepEqual(mutated(null), { spec: null, labels: undefined });
});

test('an object that is right already is returned as it is', () => {
  const right = {
    ...environment({ stage: 'dev' }, { labels: { 'homeostat.io/stage': 'dev' } }),
  } as unknown as KubeObject;
  assert.equal(mutate?.(right), right);
});

test('B-91 the mutation of an update leaves every field alone that cannot be changed', () => {
  const metadata = {
    generateName: 'x-',
    ownerReferences: [],
    finalizers: ['a'],
    deletionTimestamp: '2026-01-01T00:00:00Z',
  };
  const given = environment({ stage: ' Dev', targetNamespace: 'mine', teamRef: { name: 't' } }, metadata);
  const { spec, metadata: after } = (mutate?.(given as unknown as KubeObject) ?? given) as typeof given & {
    readonly spec: object;
  };
  assert.deepEqual(spec, { stage: 'dev', targetNamespace: 'mine', teamRef: { name: 't' } });
  const { labels: _mirrored, ...rest } = after;
  assert.deepEqual(rest, given.metadata);
});

test('mutating twice is mutating once', () => {
  fc.assert(
    fc.property(fc.anything(), fc.dictionary(fc.string(), fc.string()), (stage, labels) => {
      const given = environment({ stage }, { labels }) as unknown as KubeObject;
      const once = mutate?.(given) ?? given;
      assert.equal(mutate?.(once), once);
    }),
  );
});
