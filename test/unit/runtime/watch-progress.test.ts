import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameOrder, WatchProgress } from '../../../src/runtime/watch-progress.ts';

test('R01 the first list asks for any state the server has, a first streaming list for a consistent one', () => {
  const progress = new WatchProgress();
  assert.deepEqual(progress.nextList(), { resourceVersion: '0', limit: 500 });
  assert.equal(progress.nextStreamingList(), '');
});

test('R06 a list at a known version has no limit', () => {
  const progress = new WatchProgress();
  progress.listed('10');
  assert.deepEqual(progress.nextList(), { resourceVersion: '10' });
});

test('R07 lists stay paged once a list at zero came in pages', () => {
  const progress = new WatchProgress();
  progress.sawPagesAtZero();
  progress.listed('10');
  assert.deepEqual(progress.nextList(), { resourceVersion: '10', limit: 500 });
});

test('a version the server cannot serve leads to one consistent list, and is used again after a success', () => {
  const progress = new WatchProgress();
  progress.listed('10');
  assert.equal(progress.versionUnavailable(), true);
  assert.deepEqual(progress.nextList(), { resourceVersion: '', limit: 500 });
  assert.equal(progress.nextStreamingList(), '');
  assert.equal(progress.versionUnavailable(), false, 'a second time in a row');
  progress.listed('20');
  assert.deepEqual(progress.nextList(), { resourceVersion: '20' });
});

test('an event without a version does not make the last one forgotten', () => {
  const progress = new WatchProgress();
  progress.saw('10');
  progress.saw('');
  assert.equal(progress.lastVersion, '10');
});

test('R14 a watch from nothing advances only after a frame that is no ADDED', () => {
  for (const start of ['', '0']) {
    const order = new FrameOrder(start);
    const advances = (['ADDED', 'ADDED', 'BOOKMARK', 'ADDED'] as const).map((frame) => order.advances(frame));
    assert.deepEqual(advances, [false, false, true, true]);
  }
});

test('a watch from a version advances with each frame', () => {
  assert.equal(new FrameOrder('5').advances('ADDED'), true);
});
