import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isContained } from '../../../../src/kinds/vault/path-containment.ts';

for (const [pattern, allowed, expected] of [
  ['secret/data/team-a/app', 'secret/data/team-a/*', true],
  ['secret/data/team-a/*', 'secret/data/team-a/*', true],
  ['secret/data/team-a/', 'secret/data/team-a/*', true],
  ['secret/data/team-a', 'secret/data/team-a/*', false],
  ['secret/+/team-a/*', 'secret/data/team-a/*', false],
  ['secret/data/team-*', 'secret/data/team-a/*', false],
  ['secret/*', 'secret/data/team-a/*', false],
  ['*', 'secret/data/team-a/*', false],
  ['secret/data/team-a/{{identity.entity.name}}/x', 'secret/data/team-a/*', true],
  ['secret/data/{{identity.entity.name}}', 'secret/data/+', false],
  ['secret/data/+', 'secret/data/+', true],
  ['secret/data/x', 'secret/data/+', true],
  ['secret/data/', 'secret/data/+', false],
  ['secret/data/x/y', 'secret/data/+', false],
  ['secret/data/x*', 'secret/data/+', false],
  ['secret/data/team-ab', 'secret/data/team-a', false],
  ['secret/data/team-a*', 'secret/data/team-a*', true],
  ['secret/data/team-a-x/+', 'secret/data/team-a*', true],
  ['secret/data/+', 'secret/data/team-a*', false],
  ['secret/kv/team-a/x', 'secret/+/team-a/*', true],
] as const) {
  test(`${pattern} is ${expected ? '' : 'not '}within ${allowed}`, () => {
    assert.equal(isContained(pattern, allowed), expected);
  });
}

/** Vault's own reading of a pattern: `+` one segment that is not empty here, a star at the end any rest. */
function matches(path: string, pattern: string): boolean {
  const open = pattern.endsWith('*');
  const escaped = (open ? pattern.slice(0, -1) : pattern)
    .split('/')
    .map((segment) => (segment === '+' ? '[^/]+' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)))
    .join('/');
  return new RegExp(`^${escaped}${open ? '.*' : ''}$`).test(path);
}

const segment = fc.constantFrom('a', 'b', 'ab', '+', '');
const pattern = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([segments, open]) => `${segments.join('/')}${open && segments.at(-1) !== '+' ? '*' : ''}`);
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'abc', ''), { minLength: 1, maxLength: 5 })
  .map((all) => all.join('/'));

test('what matches a contained pattern matches the pattern that contains it', () => {
  fc.assert(
    fc.property(pattern, pattern, path, (inner, outer, request) => {
      if (isContained(inner, outer) && matches(request, inner))
        assert.ok(matches(request, outer), `${request} in ${inner}`);
    }),
    { numRuns: 20_000 },
  );
});

test('every pattern contains itself, and containing is handed on', () => {
  const whole = pattern.filter((text) => !text.split('/').includes(''));
  fc.assert(fc.property(whole, (one) => isContained(one, one)));
  fc.assert(
    fc.property(pattern, pattern, pattern, (a, b, c) => {
      if (isContained(a, b) && isContained(b, c)) assert.ok(isContained(a, c), `${a} ${b} ${c}`);
    }),
    { numRuns: 20_000 },
  );
});
