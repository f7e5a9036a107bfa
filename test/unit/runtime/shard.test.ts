import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  actsForAll,
  fnv1a,
  formatDeclaration,
  leaseOf,
  neededShards,
  parseDeclaration,
  selects,
  type ShardDeclaration,
  shardOf,
} from '../../../src/runtime/shard.ts';

const stage = fc.constantFrom('dev', 'int', 'prod', 'a-1');
const declaration: fc.Arbitrary<ShardDeclaration> = fc.oneof(
  fc.constant({ type: 'all' } as const),
  stage.map((name) => ({ type: 'stage', stage: name }) as const),
  fc.uniqueArray(stage, { minLength: 1 }).map((except) => ({ type: 'rest', except: except.toSorted() }) as const),
  fc
    .integer({ min: 2, max: 999 })
    .chain((of) => fc.integer({ min: 1, max: of }).map((index) => ({ type: 'part', index, of }) as const)),
);
const key = fc.record({ namespace: fc.string({ minLength: 1 }), name: fc.string({ minLength: 1 }) });

test('a hash is that of FNV-1a', () => {
  assert.deepEqual(['', 'a', 'foobar'].map(fnv1a), [0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

test('a declaration is read back from its text', () => {
  fc.assert(fc.property(declaration, (one) => assert.deepEqual(parseDeclaration(formatDeclaration(one)), one)));
});

for (const text of [
  '',
  'all',
  '--stage=',
  '--stage=Dev',
  '--stage-not=',
  '--stage-not=dev,dev',
  '--shard=0/3',
  '--shard=4/3',
  '--shard=1/1',
]) {
  test(`"${text}" is no declaration`, () => assert.equal(parseDeclaration(text), undefined));
}

test('every object is of exactly one of N parts', () => {
  fc.assert(
    fc.property(key, fc.integer({ min: 2, max: 50 }), (object, of) => {
      const parts = Array.from({ length: of }, (_, index) => ({ type: 'part', index: index + 1, of }) as const);
      assert.equal(parts.filter((part) => selects(part, object, undefined)).length, 1);
    }),
  );
});

test('10 000 objects spread over parts with no part a quarter above the mean', () => {
  const counts = new Map<number, number>();
  for (let index = 0; index < 10_000; index++) {
    const part = fnv1a(`team-${index % 100}/app-${index}`) % 8;
    counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  assert.ok(Math.max(...counts.values()) <= 1.25 * (10_000 / 8), [...counts.values()].join(' '));
});

test('every object is of exactly one of the instances of stages and the common one', () => {
  const instances: readonly ShardDeclaration[] = [
    { type: 'rest', except: ['dev', 'int'] },
    { type: 'stage', stage: 'dev' },
    { type: 'stage', stage: 'int' },
  ];
  for (const one of ['dev', 'int', 'prod', undefined]) {
    assert.equal(instances.filter((instance) => selects(instance, { name: 'x' }, one)).length, 1, one ?? 'no stage');
  }
});

test('argo-cd#29476 parts of different counts have different Leases', () => {
  const [three, five] = [3, 5].map((of) => leaseOf(shardOf({ type: 'part', index: 1, of })));
  assert.equal(three, 'homeostat-shard-1-of-3');
  assert.equal(five, 'homeostat-shard-1-of-5');
});

test('whoever reconciles everything holds the common Lease, and that of the stage it touches', () => {
  assert.deepEqual(neededShards({ type: 'all' }, 'dev').map(leaseOf), ['homeostat', 'homeostat-stage-dev']);
  assert.deepEqual(neededShards({ type: 'all' }, undefined).map(leaseOf), ['homeostat']);
  assert.deepEqual(neededShards({ type: 'rest', except: ['int'] }, 'dev').map(leaseOf), ['homeostat']);
});

test('of instances that run together, one acts for all', () => {
  for (const set of [
    ['everything'],
    ['--stage-not=dev,int', '--stage=dev', '--stage=int'],
    ['--shard=1/3', '--shard=2/3', '--shard=3/3'],
  ]) {
    const acting = set.filter((text) => actsForAll(parseDeclaration(text) ?? assert.fail(text)));
    assert.deepEqual(acting, set.slice(0, 1));
  }
});
