import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectKey } from '../../../src/base/resource.ts';
import { OwnEchoes } from '../../../src/runtime/own-echoes.ts';
import { WIDGETS, widget } from '../../support/widgets.ts';

const KEY = { namespace: 'ns', name: 'a' };
const OWNER = { name: 'owner' };
const OTHERS = { ...WIDGETS, plural: 'others' };

/** Echoes of widgets, and the versions that were told as news. */
function bench() {
  const thrown: unknown[] = [];
  const echoes = new OwnEchoes([WIDGETS], (error) => thrown.push(error));
  const news: string[] = [];
  const own: ObjectKey[] = [];
  const arrives = (version: string, merged = false): void =>
    echoes.tell(WIDGETS, { object: widget('a', version), merged }, (writer) => {
      if (writer === undefined) news.push(version);
      else own.push(writer);
    });
  return { echoes, news, own, thrown, arrives, write: () => echoes.sending(WIDGETS, KEY, OWNER) };
}

test('the version of an answer is no news, once', () => {
  const { news, arrives, write } = bench();
  write()('5');
  arrives('5');
  assert.deepEqual(news, []);
  arrives('5');
  assert.deepEqual(news, ['5']);
});

test('an echo that is faster than the answer waits for it and is no news', () => {
  const { news, arrives, write } = bench();
  const ended = write();
  arrives('5');
  ended('5');
  arrives('6');
  assert.deepEqual(news, ['6']);
});

test('what somebody else wrote while our write was under way is told when it is answered', () => {
  const { news, arrives, write } = bench();
  const ended = write();
  arrives('4');
  assert.deepEqual(news, []);
  ended('5');
  assert.deepEqual(news, ['4']);
  arrives('5');
  assert.deepEqual(news, ['4']);
});

test('what arrives during a write that fails is news', () => {
  const { news, arrives, write } = bench();
  const ended = write();
  arrives('4');
  ended();
  assert.deepEqual(news, ['4']);
});

test("a later version of somebody else's that swallowed ours is news, and ours is not awaited any more", () => {
  const { news, arrives, write } = bench();
  write()('5');
  arrives('7');
  arrives('5');
  assert.deepEqual(news, ['7', '5']);
});

test('an earlier version is news and leaves ours to come', () => {
  const { news, arrives, write } = bench();
  write()('5');
  arrives('4');
  arrives('5');
  assert.deepEqual(news, ['4']);
});

test('a second write under way holds back until its own answer', () => {
  const { news, arrives, write } = bench();
  write()('5');
  const ended = write();
  arrives('5');
  arrives('6');
  ended('6');
  assert.deepEqual(news, []);
});

test('a deleted object takes along what was awaited of it', () => {
  const { echoes, news, arrives, write } = bench();
  write()('5');
  echoes.gone(WIDGETS, widget('a', '5'));
  arrives('5');
  assert.deepEqual(news, ['5']);
});

test('writes of resources that nobody watches here are not accounted for', () => {
  const { echoes, news } = bench();
  echoes.sending(OTHERS, KEY, OWNER)('5');
  echoes.tell(OTHERS, { object: widget('a', '5'), merged: false }, () => void news.push('5'));
  assert.deepEqual(news, ['5']);
});

test('an echo names the key whose pass wrote it, be it faster or slower than the answer', () => {
  const { own, arrives, write } = bench();
  write()('5');
  arrives('5');
  const ended = write();
  arrives('6');
  ended('6');
  assert.deepEqual(own, [OWNER, OWNER]);
});

test("a version of ours that others were merged into is news: somebody else's may be among them", () => {
  const { news, arrives, write } = bench();
  write()('5');
  arrives('5', true);
  const ended = write();
  arrives('7', true);
  ended('7');
  assert.deepEqual(news, ['5', '7']);
});

test('writes that are answered before the watch tells of the first are no news, one after the other', () => {
  const { echoes, news, own, arrives, write } = bench();
  for (const version of ['2', '3', '4']) write()(version);
  for (const version of ['2', '3', '4']) arrives(version);
  assert.deepEqual([news, own], [[], [OWNER, OWNER, OWNER]]);
  echoes.gone(WIDGETS, widget('a', '4'));
  arrives('4');
  assert.deepEqual(news, ['4']);
});

test('a version that swallowed two of ours is news, and leaves a third to come', () => {
  const { news, own, arrives, write } = bench();
  for (const version of ['2', '3', '6']) write()(version);
  arrives('5');
  arrives('6');
  assert.deepEqual([news, own], [['5'], [OWNER]]);
});

test('what is answered when the object is gone is awaited no more', () => {
  const { echoes, news, arrives, write } = bench();
  const ended = write();
  echoes.gone(WIDGETS, widget('a', '4'));
  ended('5');
  arrives('5');
  assert.deepEqual(news, ['5']);
});

test('a handler that throws when a write is answered fails neither the write nor what else is held', () => {
  const { echoes, news, thrown, arrives, write } = bench();
  const ended = write();
  const oddity = new Error('cannot read this object');
  echoes.tell(WIDGETS, { object: widget('a', '3'), merged: false }, () => {
    throw oddity;
  });
  arrives('4');
  ended('5');
  assert.deepEqual([news, thrown], [['4'], [oddity]]);
  arrives('5');
  assert.deepEqual(news, ['4'], 'the account is settled as ever');
});
