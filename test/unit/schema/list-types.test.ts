import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatViolation } from '../../../src/base/violation.ts';
import { compileSchema } from '../../../src/schema/compile.ts';
import { listKeysOf } from '../../../src/schema/list-types.ts';
import { probeRoot } from './probe-schema.ts';

const schema = compileSchema(probeRoot);

function told(spec: object): readonly string[] {
  return schema.violations({ spec: { text: 'ab', ...spec } }).map(formatViolation);
}

test('A repeated key is told at its second item only', () => {
  assert.deepEqual(told({ items: [{ name: 'a' }, { name: 'b' }, { name: 'a' }, { name: 'a' }] }), [
    'spec.items[2]: Duplicate value: {"name":"a"}',
  ]);
});

test('Several keys are compared together and shown in the order of their names', () => {
  assert.deepEqual(
    told({
      two: [
        { z: 'x', a: 1 },
        { z: 'x', a: 2 },
        { z: 'x', a: 1 },
      ],
    }),
    ['spec.two[2]: Duplicate value: {"a":1,"z":"x"}'],
  );
});

test('Text and number are different values of a set', () => {
  const set = compileSchema({
    type: 'object',
    properties: {
      s: { type: 'array', 'x-kubernetes-list-type': 'set', items: { 'x-kubernetes-int-or-string': true } },
    },
  });
  assert.deepEqual(set.violations({ s: ['1', 1] }), []);
  assert.deepEqual(set.violations({ s: ['1', '1'] }).map(formatViolation), ['s[1]: Duplicate value: "1"']);
});

test('A list in a map is told under its key in brackets', () => {
  assert.deepEqual(told({ groups: { 'k.x': { m: ['a', 'a'] } } }), ['spec.groups[k.x].m[1]: Duplicate value: "a"']);
});

test('The keys of a list map are found by the path of an object', () => {
  const keys = listKeysOf(probeRoot);
  assert.deepEqual(keys(['spec', 'two']), ['z', 'a']);
  assert.equal(keys(['spec', 'items', 0, 'tags']), undefined);
  assert.equal(keys(['spec', 'plain']), undefined);
  assert.equal(keys(['spec', 'nowhere', 3]), undefined);
});
