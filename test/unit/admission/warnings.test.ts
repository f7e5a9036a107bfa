import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { presentableWarnings } from '../../../src/admission/warnings.ts';

test('a warning is made one line', () => {
  assert.deepEqual(presentableWarnings(['a\n\tb\u0000c\u2028d']), ['a b c d']);
});

test('a long warning is cut to 120 characters, counted as code points', () => {
  const [cut = ''] = presentableWarnings(['😀'.repeat(200)]);
  assert.equal([...cut].length, 120);
  assert.ok(cut.endsWith('…'));
});

test('equal and empty warnings go', () => assert.deepEqual(presentableWarnings(['a', ' a ', '', '\n']), ['a']));

test('more than five are counted', () => {
  assert.deepEqual(presentableWarnings(['1', '2', '3', '4', '5', '6', '7']), ['1', '2', '3', '4', '5', 'and 2 more']);
});

test('the API server would drop none of them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 })), (warnings) => {
      for (const warning of presentableWarnings(warnings)) {
        assert.doesNotMatch(warning, /\p{Cc}/u);
        assert.ok(warning.isWellFormed() && warning !== '' && [...warning].length <= 120);
      }
    }),
  );
});
