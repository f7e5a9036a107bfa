import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/base/json.ts';
import { list, object, optional, type Static, string } from '../../../src/schema/builder.ts';
import { probeSpec } from './probe-schema.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile when the types differ. */
function sameType<A, B>(same: Equal<A, B>): void {
  assert.ok(same);
}

type Probe = Static<typeof probeSpec>;

test('Members have the types that the schema describes', () => {
  sameType<Probe['text'], string>(true);
  sameType<Probe['word'], 'a' | 'b' | "it's">(true);
  sameType<Probe['port'], number | string | undefined>(true);
  sameType<Probe['plain'], readonly string[] | undefined>(true);
  sameType<Probe['labels'], Readonly<Record<string, string>> | undefined>(true);
  sameType<Probe['free'], Readonly<Record<string, Json>> | undefined>(true);
});

test('Defaulted members are present after reading, optional ones may be absent', () => {
  sameType<Probe['count'], number>(true);
  sameType<Probe['nest'], { readonly a: string; readonly deep: { readonly z: number } }>(true);
  sameType<Pick<Probe, 'when'>, { readonly when?: string }>(true);
});

test('Only members without a default that may not be absent are required', () => {
  assert.deepEqual(probeSpec.node.required, ['text']);
});

test('An object without required members has no required word, which the API server would refuse as empty', () => {
  const schema = object({ a: optional(string({ description: 'x', maxLength: 1 })) }, { description: 'x' });
  assert.deepEqual(schema.node, {
    type: 'object',
    description: 'x',
    properties: { a: { type: 'string', description: 'x', maxLength: 1 } },
  });
});

test('Validations stand under their word in the CRD', () => {
  const rule = { rule: 'self.size() > 0' };
  const item = string({ description: 'x', maxLength: 1, validations: [rule] });
  const schema = list(item, { description: 'x', maxItems: 2, validations: [rule] });
  assert.deepEqual(schema.node, {
    type: 'array',
    description: 'x',
    maxItems: 2,
    items: { type: 'string', description: 'x', maxLength: 1, 'x-kubernetes-validations': [rule] },
    'x-kubernetes-list-type': 'atomic',
    'x-kubernetes-validations': [rule],
  });
});
