import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanText } from './source-text.ts';

const rows: readonly (readonly [string, string, string])[] = [
  ['blanks a line comment', 'a; // b c\nd', 'a;       \nd'],
  ['blanks a block comment and keeps its lines', '/* a\nb */c', '    \n    c'],
  ['blanks a string with an escaped quote', String.raw`x('it\'s')`, "x('     ')"],
  ['takes no comment from inside a string', "f('// no')", "f('     ')"],
  ['blanks a template and keeps its substitution', '`a ${b + `c ${d}`} e`', '`  ${b + `  ${d}`}  `'],
  ['goes on behind each substitution of a template', '`${a}b${c}d` + `e`', '`${a} ${c} ` + ` `'],
  ['finds the end of a substitution that holds braces', '`${ {a: 1} } x` + y', '`${ {a: 1} }  ` + y'],
  ['blanks a regular expression with a quote', "a = /'[/]'/g; 'b'", "a = /      g; ' '"],
  ['takes a division for what it is', 'a / b / c', 'a / b / c'],
  ['takes a quote in a comment for nothing', "// it's\n'a'", "       \n' '"],
];

for (const [name, text, code] of rows) test(name, () => assert.equal(scanText(text).code, code));

test('gives back texts of the same length', () => {
  const text = "import a from 'b'; // c\nconst d = `e${f}`;";
  const { code, strings, comments } = scanText(text);
  assert.equal(code.length, text.length);
  assert.deepEqual(
    strings.map(({ start, end }) => text.slice(start, end)),
    ["'b'"],
  );
  assert.deepEqual(
    comments.map(({ start, end }) => text.slice(start, end)),
    ['// c'],
  );
});

test('throws when braces do not close', () => assert.throws(() => scanText('`${`'), /do not close/));
