import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldPath, formatPath } from '../../../src/base/field-path.ts';
import { isRecord } from '../../../src/base/json.ts';
import type { Change } from '../../../src/rules/change.ts';
import { evaluateRules, stateViolations } from '../../../src/rules/evaluate.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { deletionRule, type Finding, forbidden, invalid, stateRule, transitionRule } from '../../../src/rules/rule.ts';
import { context, type Widget, widget } from './rule-fixture.ts';

const BAD = 'bad';

/** Finds every text `bad`, wherever it stands. */
const noBad = stateRule<Widget>({ id: 'widget.no-bad', tier: 'W' }, (object) => findBad(object.spec, ['spec']));

function findBad(value: unknown, path: FieldPath): readonly Finding[] {
  if (value === BAD) return [invalid(path, value, 'must not be bad')];
  if (Array.isArray(value)) return value.flatMap((item, index) => findBad(item, [...path, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([name, member]) => findBad(member, [...path, name])) : [];
}

/** Speaks of one field because of another. */
const below = stateRule<Widget>({ id: 'widget.below', tier: 'W' }, ({ spec }) =>
  Number(spec['size']) > Number(spec['limit']) ? [invalid(['spec', 'size'], spec['size'], 'is above the limit')] : [],
);

const needsOwner = stateRule<Widget>({ id: 'widget.owner', tier: 'W' }, ({ spec }) =>
  isRecord(spec['meta']) && spec['meta']['owner'] === undefined
    ? [{ type: 'FieldValueRequired', path: ['spec', 'meta', 'owner'], detail: '' }]
    : [],
);

function update(before: object, after: object): Change<Widget> {
  return { type: 'update', before: widget({ ...before }), after: widget({ ...after }) };
}

function severities(change: Change<Widget>, rule = noBad): readonly string[] {
  return evaluateRules([rule], change, context).map(({ path, severity }) => `${formatPath(path)} ${severity}`);
}

test('A violation of a created object refuses it', () => {
  assert.deepEqual(evaluateRules([noBad], { type: 'create', after: widget({ a: BAD }) }, context), [
    {
      rule: 'widget.no-bad',
      severity: 'deny',
      type: 'FieldValueInvalid',
      path: ['spec', 'a'],
      value: BAD,
      detail: 'must not be bad',
    },
  ]);
});

test('What an update left as it was is a warning, what it brought refuses', () => {
  assert.deepEqual(severities(update({ a: BAD, b: 'x' }, { a: BAD, b: BAD, c: BAD })), [
    'spec.a warn',
    'spec.b deny',
    'spec.c deny',
  ]);
});

test('Items are the same place when their names are equal, wherever they stand', () => {
  const before = {
    list: [
      { name: 'x', v: BAD },
      { name: 'y', v: 'good' },
    ],
  };
  const after = {
    list: [
      { name: 'y', v: BAD },
      { name: 'x', v: BAD },
    ],
  };
  assert.deepEqual(severities(update(before, after)), ['spec.list[0].v deny', 'spec.list[1].v warn']);
});

test('A list without keys is the same place only as a whole', () => {
  assert.deepEqual(severities(update({ list: [BAD], other: 1 }, { list: [BAD], other: 2 })), ['spec.list[0] warn']);
  assert.deepEqual(severities(update({ list: [BAD] }, { list: [BAD, 'more'] })), ['spec.list[0] deny']);
});

test('The keys of lists can come from the schema', () => {
  const before = {
    list: [
      { id: 1, v: BAD },
      { id: 2, v: BAD },
    ],
  };
  const change = update(before, { list: [{ id: 2, v: BAD }] });
  assert.deepEqual(severities(change), ['spec.list[0].v deny']);
  const listKeys = (path: FieldPath) => (formatPath(path) === 'spec.list' ? ['id'] : undefined);
  const violations = evaluateRules([noBad], change, context, { listKeys });
  assert.deepEqual(
    violations.map(({ severity }) => severity),
    ['warn'],
  );
});

test('An unchanged value refuses when only the change of another field made it wrong', () => {
  assert.deepEqual(severities(update({ size: 5, limit: 9 }, { size: 5, limit: 3 }), below), ['spec.size deny']);
  assert.deepEqual(severities(update({ size: 5, limit: 4 }, { size: 5, limit: 3 }), below), ['spec.size warn']);
});

test('A member that was missing before is a warning while its parent is unchanged', () => {
  assert.deepEqual(severities(update({ meta: { a: 1 }, x: 1 }, { meta: { a: 1 }, x: 2 }), needsOwner), [
    'spec.meta.owner warn',
  ]);
  assert.deepEqual(severities(update({ meta: { a: 1 } }, { meta: { a: 2 } }), needsOwner), ['spec.meta.owner deny']);
});

test('Rules about transitions are not softened', () => {
  const frozen = transitionRule<Widget>({ id: 'widget.frozen', tier: 'W' }, () => [
    forbidden(['spec', 'a'], 'is frozen'),
  ]);
  assert.deepEqual(severities(update({ a: 1 }, { a: 1 }), frozen), ['spec.a deny']);
});

test('Rules run for the changes they speak of, in their order', () => {
  const frozen = transitionRule<Widget>({ id: 'widget.frozen', tier: 'W' }, () => [forbidden(['spec'], 'is frozen')]);
  const kept = deletionRule<Widget>({ id: 'widget.kept' }, () => [forbidden([], 'is kept')]);
  const outside = stateRule<Widget>({ id: 'widget.outside', tier: 'R' }, () => [forbidden(['spec'], 'is outside')]);
  const all = [frozen, noBad, kept, outside];
  const ids = (change: Change<Widget>, about?: readonly ('state' | 'transition' | 'deletion')[]) =>
    evaluateRules(all, change, context, about === undefined ? {} : { about }).map(({ rule }) => rule);
  const object = widget({ a: BAD });
  assert.deepEqual(ids({ type: 'create', after: object }), ['widget.no-bad']);
  assert.deepEqual(ids({ type: 'update', before: object, after: object }), ['widget.frozen', 'widget.no-bad']);
  assert.deepEqual(ids({ type: 'update', before: object, after: object }, ['state']), ['widget.no-bad']);
  assert.deepEqual(ids({ type: 'delete', before: object }), ['widget.kept']);
});

test('The controller runs state rules of every tier, without softening', () => {
  const outside = stateRule<Widget>({ id: 'widget.outside', tier: 'R' }, () => [forbidden(['spec'], 'is outside')]);
  const violations = stateViolations([outside, noBad], widget({ a: BAD }), context);
  assert.deepEqual(
    violations.map(({ rule, severity }) => `${rule} ${severity}`),
    ['widget.outside deny', 'widget.no-bad deny'],
  );
});

test('An unsynced cache is thrown, never taken for an empty one', () => {
  const reads = stateRule<Widget>({ id: 'widget.reads', tier: 'W' }, (_object, { lookup }) => {
    lookup.get({ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false }, { name: 'x' });
    return [];
  });
  assert.throws(() => evaluateRules([reads], { type: 'create', after: widget({}) }, context), CacheNotSynced);
});
