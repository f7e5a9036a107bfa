import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import { LiveReadFailed } from '../../../src/admission/live-reader.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import type { KubeObject } from '../../../src/base/object.ts';
import type { ObjectOf } from '../../../src/base/violation.ts';
import type { LiveReader } from '../../../src/rules/live-lookup.ts';
import type { Lookup } from '../../../src/rules/lookup.ts';
import { invalid, type Rule, stateRule } from '../../../src/rules/rule.ts';
import { calmContext, type Gadget, gadget, gadgetHook, GADGETS, gadgetSlice, noLimit, reviewBody } from './gadget.ts';

const limitOf = (name: string): ObjectOf => ({ type: GADGETS, key: { namespace: 'team-a', name } });
const stored = (name: string, size: number, stage?: string): KubeObject =>
  gadget(stage === undefined ? { size } : { size, stage }, { name }) as unknown as KubeObject;

/** Refuses what is larger than the gadget `limit`, or than the one that `limit` names as its stage; absence refuses too. */
const limitRule: Rule<Gadget> = stateRule({ id: 'gadget.limit', tier: 'W' }, function* ({ spec }, { lookup }) {
  const first = lookup.get<Gadget>(GADGETS, limitOf('limit').key);
  const restsOn = [limitOf(first?.spec.stage ?? 'limit')];
  const limit = lookup.get<Gadget>(GADGETS, limitOf(first?.spec.stage ?? 'limit').key);
  if (limit === undefined || spec.size > limit.spec.size) {
    yield { ...invalid(['spec', 'size'], spec.size, 'is above the limit'), restsOn };
  }
});

function cacheOf(...objects: readonly KubeObject[]): Lookup {
  return {
    // The tests store gadgets only.
    get: <T extends KubeObject>(_type: unknown, key: { name: string }) =>
      objects.find(({ metadata }) => metadata.name === key.name) as T | undefined,
    byIndex: <T extends KubeObject>() => objects as readonly T[],
  };
}

async function judged(lookup: Lookup, live: LiveReader, rule: Rule<Gadget> = limitRule): Promise<Verdict> {
  return decide(
    gadgetHook('validate'),
    gadgetSlice({ gadgetRules: [rule] }),
    decodeReview(reviewBody({ object: gadget({ size: 3 }) })),
    { context: calmContext({ lookup, live }), limit: noLimit },
  );
}

function recording(reader: (name: string) => KubeObject | undefined): {
  readonly reads: string[];
  readonly live: LiveReader;
} {
  const reads: string[] = [];
  return {
    reads,
    live: (object) => {
      reads.push(object.key.name);
      return Promise.resolve(reader(object.key.name));
    },
  };
}

test('permission costs no request', async () => {
  const { reads, live } = recording(() => undefined);
  assert.equal((await judged(cacheOf(stored('limit', 5)), live)).type, 'allow');
  assert.deepEqual(reads, []);
});

test('a denial that rests on an absent object is withdrawn when the object is there', async () => {
  const { reads, live } = recording(() => stored('limit', 5));
  assert.equal((await judged(cacheOf(), live)).type, 'allow');
  assert.deepEqual(reads, ['limit']);
});

test('a denial that the API server confirms stands after one read', async () => {
  const { reads, live } = recording(() => stored('limit', 2));
  assert.equal((await judged(cacheOf(stored('limit', 1)), live)).type, 'deny');
  assert.deepEqual(reads, ['limit']);
});

test('denials without number that rest on one object are confirmed by one read', async () => {
  const many: Rule<Gadget> = stateRule({ id: 'gadget.many', tier: 'W' }, function* ({ spec }) {
    const violation = { ...invalid(['spec', 'size'], spec.size, 'is too much'), restsOn: [limitOf('limit')] };
    yield* Array.from({ length: 100 }, () => violation);
  });
  const { reads, live } = recording(() => stored('limit', 2));
  const verdict = await judged(cacheOf(stored('limit', 2)), live, many);
  assert.equal(verdict.type, 'deny');
  assert.deepEqual(reads, ['limit']);
});

test('a live object that leads to another one is followed', async () => {
  const objects = new Map([
    ['limit', stored('limit', 0, 'real')],
    ['real', stored('real', 2)],
  ]);
  const { reads, live } = recording((name) => objects.get(name));
  assert.equal((await judged(cacheOf(), live)).type, 'deny');
  assert.deepEqual(reads, ['limit', 'real']);
});

test('a chain without end is a fault', async () => {
  let step = 0;
  const endless: Rule<Gadget> = stateRule({ id: 'gadget.endless', tier: 'W' }, () => [
    { ...invalid(['spec'], undefined, 'never sure'), restsOn: [limitOf(`n${step++}`)] },
  ]);
  const verdict = await judged(cacheOf(), () => Promise.resolve(undefined), endless);
  assert.equal(verdict.type === 'fault' && verdict.kind, 'notReady');
});

test('a read that is not answered is a fault', async () => {
  const verdict = await judged(cacheOf(), (object) => Promise.reject(new LiveReadFailed(object, new Error('refused'))));
  assert.equal(verdict.type === 'fault' && verdict.kind, 'notReady');
});

test('an object that is gone drops out of an index', async () => {
  const used: Rule<Gadget> = stateRule({ id: 'gadget.used', tier: 'W' }, function* (_gadget, { lookup }) {
    const [user] = lookup.byIndex<Gadget>(GADGETS, 'any', 'x');
    if (user !== undefined) {
      yield {
        ...invalid(['spec'], undefined, `used by ${user.metadata.name}`),
        restsOn: [limitOf(user.metadata.name)],
      };
    }
  });
  assert.equal((await judged(cacheOf(stored('user', 1)), () => Promise.resolve(undefined), used)).type, 'allow');
});
