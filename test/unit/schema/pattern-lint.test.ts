import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { patternProblems } from '../../../src/schema/pattern-lint.ts';

const allowed = [
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\\.){3}(25[0-5])$',
  '^[+-]?[0-9]+(?:[eE][0-9]{1,3})?$',
  '([a-z]+-)+',
  '(ab){3,}',
  '([^/]+/)*',
  '[a\\-z]',
  '[^/%]+?',
  'é|😀',
  '\\$\\{x\\}\\n',
];

for (const pattern of allowed) {
  test(`The pattern ${pattern} may be used`, () => assert.deepEqual(patternProblems(pattern), []));
}

const refused: Readonly<Record<string, RegExp>> = {
  '\\d': /escape "\\d"/,
  '\\w': /escape "\\w"/,
  '\\s': /escape "\\s"/,
  '\\bx': /escape "\\b"/,
  '\\pL': /escape "\\p"/,
  '(a)\\1': /escape "\\1"/,
  '\\u{61}': /escape "\\u"/,
  '\\-': /escape "\\-"/,
  'a\\': /escape/,
  'a.b': /uses "\."/,
  '(?=a)': /group with "\?"/,
  '(?<!a)': /group with "\?"/,
  '(?<n>a)': /group with "\?"/,
  '(?P<n>a)': /group with "\?"/,
  '(?i)a': /group with "\?"/,
  '[[:alpha:]]': /escape before "\["/,
  '[]': /empty class/,
  '[a': /close a class/,
  '(a': /close a group/,
  'a)': /group that is not open/,
  'a{1001}': /more than 1000/,
  'a{x}': /no repeat/,
  'a**': /escape before/,
  '[z-a]': /no regular expression/,
  'a{2,1}': /no regular expression/,
};

for (const [pattern, reason] of Object.entries(refused)) {
  test(`The pattern ${pattern} may not be used`, () => {
    const [problem = '', ...more] = patternProblems(pattern);
    assert.match(problem, reason);
    assert.deepEqual(more, []);
  });
}

for (const pattern of ['^(a+)+$', '(a|[a-z])*', '((a+)?b?)*', '(a?){2,9}', '([a-z]+[0-9]*)+', '(x|xx)+', '([^/]+a)*']) {
  test(`The pattern ${pattern} can split one text in several ways`, () => {
    assert.deepEqual(patternProblems(pattern), ['repeats a group that can split one text in several ways']);
  });
}

test('Any text is judged without a throw, and what passes compiles', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ab.\\()[\]{}|?*+^$,0-9-]{0,12}$/), (pattern) => {
      if (patternProblems(pattern).length === 0) assert.ok(new RegExp(pattern, 'u').unicode);
    }),
  );
});
