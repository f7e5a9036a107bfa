import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatPath } from '../../../src/base/field-path.ts';
import { formatViolation } from '../../../src/base/violation.ts';
import { compileSchema } from '../../../src/schema/compile.ts';
import { InvalidSchema } from '../../../src/schema/invalid-schema.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { probeRoot } from './probe-schema.ts';

const schema = compileSchema(probeRoot);

function told(spec: unknown): readonly string[] {
  return schema.violations({ spec }).map(formatViolation);
}

test('Violations come in the order of their paths, list indices by number', () => {
  const long = 'long';
  const paths = schema
    .violations({ spec: { text: 'A', plain: [long, long, 'a', long], count: 0 } })
    .map(({ path }) => formatPath(path));
  assert.deepEqual(paths, ['spec.count', 'spec.plain', 'spec.plain[0]', 'spec.plain[1]', 'spec.plain[3]', 'spec.text']);
});

test('No more than 20 violations are told', () => {
  const labels = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'too long']));
  assert.equal(schema.violations({ spec: { text: 'ab', labels } }).length, 20);
});

test('An object with very many values is told its first defect only', () => {
  const plain = Array.from({ length: 200_000 }, () => 7);
  assert.deepEqual(told({ text: 'ab', plain }), ['spec.plain: Too many: 200000: must have at most 3 items']);
});

test('A text that is too long is not tried on the pattern', () => {
  const slow = compileSchema({
    type: 'object',
    properties: { spec: { type: 'string', maxLength: 10, pattern: '^(a+)+$' } },
  });
  const violations = slow.violations({ spec: `${'a'.repeat(100_000)}!` });
  assert.deepEqual(violations.map(formatViolation), ['spec: Too long: may not be more than 10 bytes']);
});

test('A number beyond int64 is no integer', () => {
  assert.deepEqual(told({ text: 'ab', port: 1e19 }), [
    'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
  ]);
});

test('A list does not pass for a formatted text, although the API server lets it', () => {
  assert.deepEqual(told({ text: 'ab', when: ['x'] }), [
    'spec.when: Invalid value: "array": spec.when in body must be of type string: "array"',
  ]);
});

test('An anyOf of which no branch holds is told once, at its field', () => {
  const choice = compileSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { x: { type: 'string' }, y: { type: 'string' } },
        anyOf: [{ required: ['x'] }, { required: ['y'] }],
      },
    },
  });
  assert.deepEqual(choice.violations({ spec: {} }).map(formatViolation), [
    'spec: Invalid value: "": "spec" must validate at least one schema (anyOf)',
  ]);
  assert.deepEqual(choice.violations({ spec: { y: 'a' } }), []);
});

test('Every violation carries the rule id schema and refuses', () => {
  for (const violation of schema.violations({ spec: { count: 'x', plain: [1, 2, 3, 4] } })) {
    assert.equal(violation.rule, 'schema');
    assert.equal(violation.severity, 'deny');
  }
});

test('Metadata is not looked at', () => {
  assert.deepEqual(schema.violations({ metadata: 7, apiVersion: 1, spec: { text: 'ab' } }), []);
});

test('Any JSON is judged without a throw, and what is judged is not changed', () => {
  const keys = fc.constantFrom(
    'text',
    'when',
    'small',
    'port',
    'items',
    'two',
    'labels',
    'groups',
    'maybe',
    '__proto__',
  );
  fc.assert(
    fc.property(fc.dictionary(keys, fc.jsonValue({ maxDepth: 4 })), (spec) => {
      const before = JSON.stringify(spec);
      schema.violations({ spec });
      schema.unknownFields({ spec });
      assert.equal(JSON.stringify(spec), before);
    }),
  );
  for (const odd of [null, 7, 'x', [], undefined]) assert.ok(schema.violations(odd).length > 0);
});

test('A schema that is not structural is refused with all its defects', () => {
  const broken = {
    type: 'object',
    properties: { a: { type: 'string', const: 'x' }, b: { type: 'array' }, c: { type: 'string', format: 'uri' } },
  } as unknown as StructuralSchema;
  assert.throws(
    () => compileSchema(broken),
    (error: unknown) => {
      assert.ok(error instanceof InvalidSchema);
      assert.equal(error.code, 'HOMEOSTAT_SCHEMA_INVALID');
      assert.deepEqual(error.problems, [
        '.a: the word "const" is not supported',
        '.b: items and type array need one another',
        '.c: the format "uri" is not known',
      ]);
      return true;
    },
  );
});
