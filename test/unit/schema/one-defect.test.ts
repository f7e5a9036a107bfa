import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatPath } from '../../../src/base/field-path.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { compileValidator } from '../../../src/schema/validator.ts';
import { drawnSchema, validOf } from './drawn-schema.ts';
import { spoiled } from './spoiled-values.ts';

/** Every word that a value can break, and the ways to break it that are looked at. */
const WAYS = [
  'anyOf members',
  'anyOf number',
  'enum',
  'format int32',
  'format int64',
  'format text',
  'maxItems',
  'maxLength next',
  'maxLength pairs',
  'maxLength units',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength next',
  'minLength pairs',
  'minLength units',
  'minProperties',
  'minimum',
  'pattern',
  'required',
  'type array',
  'type boolean',
  'type either',
  'type fraction',
  'type null',
  'type number',
  'type object',
  'type text',
];

/** A schema of objects, and some of them in which it finds nothing wrong. */
const drawn = drawnSchema(2)
  .map((member): StructuralSchema => ({ type: 'object', properties: { member }, required: ['member'] }))
  .chain((schema) => fc.tuple(fc.constant(schema), fc.array(validOf(schema), { minLength: 3, maxLength: 3 })));

test('a valid value is accepted, and spoiled in one place it is refused for that alone', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(drawn, ([schema, values]) => {
      const validator = compileValidator(schema, new Set());
      for (const value of values) {
        assert.deepEqual(validator.defects(value, 9), [], JSON.stringify(value));
        assert.equal(validator.accepts(value), true, JSON.stringify(value));
        for (const { value: bad, words, path, way } of spoiled(value, schema)) {
          const found = validator.defects(bad, 9).map((defect) => `${defect.broken.word} ${formatPath(defect.path)}`);
          const wanted = words.map((word) => `${word} ${formatPath(path)}`);
          assert.deepEqual(found, wanted, `${way}: ${JSON.stringify(bad)}`);
          assert.equal(validator.accepts(bad), false, `${way}: ${JSON.stringify(bad)}`);
          seen.add(way);
        }
      }
    }),
    { seed: 1, numRuns: 300 },
  );
  assert.deepEqual([...seen].toSorted(), WAYS.toSorted());
});
