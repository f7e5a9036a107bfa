import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unstructured } from '../../../src/base/object.ts';
import { wakeByWatch, wakeOwn } from '../../../src/app/wake-ups.ts';
import type { InformerHandler } from '../../../src/runtime/informer-handler.ts';
import { OwnEchoes } from '../../../src/runtime/own-echoes.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingMetrics } from '../../support/silent-ports.ts';
import { WIDGETS, widget } from '../../support/widgets.ts';

const news = { replaced: false, resync: false, merged: false };
const [A, X] = [{ namespace: 'ns', name: 'a' }, { name: 'x' }];
const lookup = { get: () => undefined, byIndex: () => [] };

/** A queue and the handlers that feed it: of the object itself, and of what it watches. */
function wired() {
  const clock = new FakeClock();
  const queue = new WorkQueue({
    name: 'widgets',
    clock,
    random: seededRandom(),
    metrics: recordingMetrics(),
  });
  const watch = {
    type: WIDGETS,
    toKeys: ({ metadata }: Unstructured) => [{ name: metadata.labels?.['owner'] ?? 'nobody' }],
  };
  const echoes = new OwnEchoes([WIDGETS], assert.ifError);
  const own: InformerHandler = wakeOwn(queue, WIDGETS, echoes);
  const watched: InformerHandler = wakeByWatch(queue, watch, lookup, echoes);
  return { queue, clock, own, watched, echoes };
}

const before: Unstructured = { ...widget('a', '1', { generation: 1 }), status: { phase: 'New' } };

const managedFields = [{ manager: 'us' }];
const reported: Unstructured = { ...widget('a', '2', { generation: 1, managedFields }), status: { phase: 'Ready' } };

test('B-25 the echo of our own status wakes nobody', async () => {
  const { queue, clock, own, watched, echoes } = wired();
  echoes.sending(WIDGETS, A, A)('2');
  own.updated?.(before, reported, news);
  watched.updated?.(before, reported, news);
  await clock.advance(60_000);
  assert.equal(queue.length, 0);
});

test('a status that somebody else wrote, or that arrived when it had been given up, is looked at after a while', async () => {
  const { queue, clock, own, watched, echoes } = wired();
  echoes.sending(WIDGETS, A, A)(undefined);
  own.updated?.(before, reported, news);
  watched.updated?.(before, reported, news);
  assert.equal(queue.length, 0);
  await clock.advance(5000);
  assert.equal(queue.length, 1);
});

test('a status of ours that came with a change of the spec wakes for the spec', () => {
  const { queue, own, echoes } = wired();
  echoes.sending(WIDGETS, A, A)('3');
  const both = { ...reported, metadata: { ...reported.metadata, resourceVersion: '3', generation: 2 } };
  own.updated?.(before, both, { ...news, merged: true });
  assert.equal(queue.length, 1);
});

for (const [what, change] of Object.entries({
  'its spec': { generation: 2 },
  'a label': { generation: 1, labels: { a: 'b' } },
  'an annotation': { generation: 1, annotations: { a: 'b' } },
  'a finalizer': { generation: 1, finalizers: ['a/b'] },
  'a request to delete it (V10)': { generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z' },
  'another object of its name': { generation: 1, uid: 'other' },
})) {
  test(`${what} wakes the object`, () => {
    const { queue, own } = wired();
    own.updated?.(before, widget('a', '2', change), news);
    assert.equal(queue.length, 1);
  });
}

test('a child that moves from one owner to another wakes both', () => {
  const { queue, watched } = wired();
  const [mine, theirs] = [widget('c', '1', { labels: { owner: 'x' } }), widget('c', '2', { labels: { owner: 'y' } })];
  watched.updated?.(mine, theirs, news);
  assert.equal(queue.length, 2);
});

test('what changed and changed back unseen wakes whoever watches: its generation is another', () => {
  const { queue, watched } = wired();
  const seen = (version: string, generation: number): Unstructured =>
    widget('c', version, { labels: { owner: 'x' }, generation });
  watched.updated?.(seen('1', 1), seen('4', 3), { ...news, merged: true });
  assert.equal(queue.length, 1);
});

test('a resync wakes the object at low priority, and nobody by way of its children', async () => {
  const { queue, own, watched } = wired();
  own.updated?.(before, before, { replaced: false, resync: true, merged: false });
  watched.updated?.(before, before, { replaced: false, resync: true, merged: false });
  assert.equal(queue.length, 1);
  assert.equal((await queue.get(new AbortController().signal))?.priority, 'low');
});

test('a finalizer that a pass put on wakes nobody, taken off by somebody it wakes the object', () => {
  const { queue, own, echoes } = wired();
  const held = widget('a', '2', { generation: 1, finalizers: ['test.io/cleanup'] });
  echoes.sending(WIDGETS, A, A)('2');
  own.updated?.(before, held, news);
  assert.equal(queue.length, 0);
  own.updated?.(held, widget('a', '3', { generation: 1 }), news);
  assert.equal(queue.length, 1);
});

test('a child as we wrote it wakes nobody, changed or deleted by somebody it wakes its owner', () => {
  for (const after of ['changed', 'deleted']) {
    const { queue, watched, echoes } = wired();
    const child = widget('c', '2', { labels: { owner: 'x' } });
    echoes.sending(WIDGETS, { namespace: 'ns', name: 'c' }, X)('2');
    watched.added?.(child, { initial: false, merged: false });
    assert.equal(queue.length, 0);
    if (after === 'deleted') watched.deleted?.(child, { finalStateUnknown: false });
    else watched.updated?.(child, widget('c', '3', { labels: { owner: 'x', more: 'y' } }), news);
    assert.equal(queue.length, 1);
  }
});

test('what one pass wrote wakes the others that look at the same object', async () => {
  const { queue, watched, echoes } = wired();
  echoes.sending(WIDGETS, { namespace: 'ns', name: 'c' }, X)('2');
  watched.updated?.(widget('c', '1', { labels: { owner: 'x' } }), widget('c', '2', { labels: { owner: 'y' } }), news);
  assert.equal(queue.length, 1);
  assert.deepEqual((await queue.get(new AbortController().signal))?.key, { name: 'y' });
});
