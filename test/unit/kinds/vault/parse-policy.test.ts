import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePolicy } from '../../../../src/kinds/vault/parse-policy.ts';
import { describeProblem } from '../../../../src/kinds/vault/policy-tree.ts';

/** What is wrong with a text, in words. */
function problems(text: string): readonly string[] {
  return parsePolicy(text).problems.map(describeProblem);
}

/** The rules of a text that has nothing wrong. */
function rules(text: string): readonly unknown[] {
  assert.deepEqual(problems(text), []);
  return parsePolicy(text).rules.map(({ rule }) => rule);
}

test('HCL with comments, trailing commas, heredocs and escapes is read', () => {
  const text = `
# a comment
path "secret/data/team-a/*" { // another
  capabilities = ["read", "list",]
  comment = <<EOT
any text } "
EOT
  allowed_parameters = { "Name" = ["a\\"b", 1, true] /* here */ }
  min_wrapping_ttl = "1m"
}
path "/secret/\\u0064ata/x" { capabilities = ["deny", "read"] }`;
  assert.deepEqual(rules(text), [
    {
      path: 'secret/data/team-a/*',
      capabilities: ['list', 'read'],
      allowedParameters: { name: ['a"b', 1, true] },
      minWrappingSeconds: 60,
    },
    { path: 'secret/data/x', capabilities: ['deny'] },
  ]);
});

test('a line that closes a heredoc for the eye and not for Vault is refused', () => {
  const hidden = 'path "*" {\n  capabilities = ["sudo"]\n}\n# */ }\n';
  const blank = `path "a" {\n  capabilities = ["read"]\n  comment = <<EOT\nEOT \n  /*\nEOT\n}\n${hidden}`;
  const short = `path "a" {\n  capabilities = ["read"]\n  comment = <<-EOT\nEOT\n  /*\n  EOT\n}\n${hidden}`;
  for (const text of [blank, short]) assert.match(problems(text).join(), /^line 4, .*nothing behind EOT/);
  assert.match(problems('path "a" { comment = <<EOT\nEOT').join(), /nothing behind EOT/);
  const ended = 'path "a" {\r\n  comment = <<-EOT\r\n  x\r\n  EOT\r\n  capabilities = ["read"]\r\n}';
  assert.deepEqual(rules(ended), [{ path: 'a', capabilities: ['read'] }]);
});

test('a path has no empty segment, not even in front', () => {
  assert.match(problems('path "//secret/x" { capabilities = ["read"] }').join(), /has an empty segment/);
});

test('JSON is read as HCL reads it, one object or a list of them', () => {
  const one = '{"path": {"a": {"capabilities": ["read"]}, "b": {"capabilities": ["list"]}}}';
  const list = '{"path": [{"a": {"capabilities": ["read"]}}, {"b": {"capabilities": ["list"]}}]}';
  assert.deepEqual(rules(one), [
    { path: 'a', capabilities: ['read'] },
    { path: 'b', capabilities: ['list'] },
  ]);
  assert.deepEqual(rules(list), rules(one));
});

test('what stands in ${} is taken as it is', () => {
  assert.deepEqual(rules('path "a" { capabilities = ["read"] allowed_parameters = { x = ["${f("x")}"] } }'), [
    { path: 'a', capabilities: ['read'], allowedParameters: { x: ['${f("x")}'] } },
  ]);
});

test('V8: a key that stands twice in one path is refused with its line', () => {
  const text = 'path "a" {\n  capabilities = ["read"]\n  capabilities = ["list"]\n}';
  assert.deepEqual(problems(text), ['line 3, column 3: capabilities stands twice in path "a"']);
  assert.deepEqual(problems('{"path": {"a": {"capabilities": ["read"],\n"capabilities": ["list"]}}}'), [
    'line 2, column 1: capabilities stands twice in path "a"',
  ]);
});

test('V9: the legacy keyword and unknown keys are refused', () => {
  assert.match(
    problems('path "a" {\n policy = "write"\n}')[0] ?? '',
    /^line 2, column 2: the keyword policy is of old/,
  );
  assert.match(problems('path "a" { capabilites = ["read"] }')[0] ?? '', /column 12: unknown key "capabilites"/);
  assert.match(problems('rule "a" {}')[0] ?? '', /column 1: unknown key "rule"/);
  assert.match(problems('path "a" { capabilities = ["write"] }')[0] ?? '', /column 28: unknown capability "write"/);
});

for (const [text, expected] of [
  ['path "a" {', /^line 1, column 10: this object is not closed$/],
  ['path "a', /^line 1, column 6: this string is not closed$/],
  ['path "a" = { capabilities = ["read"] }', /^line 1, column 10: a block with several keys/],
  ['path "a" { capabilities = ["read" "list"] }', /^line 1, column 35: , or \] is expected/],
  ['path "a" { capabilities = "read" }', /^line 1, column 27: capabilities must be a list of strings$/m],
  ['path "a" { }', /^line 1, column 1: path "a" has no capabilities$/],
  ['path "a" { capabilities = [] }', /^line 1, column 27: path "a" has no capabilities$/],
  ['path "a/+*" { capabilities = ["read"] }', /"\+\*", which Vault forbids$/],
  ['path "a/*/b" { capabilities = ["read"] }', /holds "\*" before its end/],
  ['path "" { capabilities = ["read"] }', /a path must not be empty$/],
  ['path "a/../b" { capabilities = ["read"] }', /has a dot segment$/],
  ['path "a//b" { capabilities = ["read"] }', /has an empty segment$/],
  ['path "a%2e" { capabilities = ["read"] }', /holds "%"/],
  ['path { a = 1 }', /a path block is written path/],
  ['', /^line 1, column 1: the policy has no path, so it would allow nothing$/],
  ['/* open', /^line 1, column 1: this comment is not closed$/],
  ['{"path": {"a": {"capabilities": ["read"]}}} x', /^line 1, column 45: nothing more is expected/],
  ['{"path": null}', /null has no meaning in a policy$/],
  ['path "a" { capabilities = ["read"] min_wrapping_ttl = "soon" }', /must be seconds or a duration/],
  ['path "a" { capabilities = ["read"] min_wrapping_ttl = 9 max_wrapping_ttl = 5 }', /is less than min_wrapping_ttl$/],
  ['name = "x"\npath "a" { capabilities = ["read"] }', /^line 1, column 1: a name has no effect here/],
] as const) {
  test(`${JSON.stringify(text)} is refused`, () => {
    assert.match(problems(text).join('\n'), expected);
  });
}

test('any text is either read or refused with a place inside it', () => {
  const piece = fc.constantFrom(
    'path',
    ' "a" ',
    '{',
    '}',
    '[',
    ']',
    '=',
    ',',
    '"',
    '\n',
    '<<A',
    '${',
    '/*',
    '#',
    'read',
    '\\',
    '1',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
      ),
      (text) => {
        for (const { at } of parsePolicy(text).problems) {
          const lines = text.split('\n');
          assert.ok(at.line >= 1 && at.line <= lines.length);
          assert.ok(at.column >= 1 && at.column <= (lines[at.line - 1]?.length ?? 0) + 1);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test('a hundred thousand opening brackets are refused, not followed', () => {
  assert.match(problems(`path "a" { capabilities = ${'['.repeat(100_000)}`)[0] ?? '', /nested deeper than 32/);
  assert.match(problems(`{"a": ${'['.repeat(100_000)}`)[0] ?? '', /nested deeper than 32/);
});
