import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnEchoes } from '../../../src/runtime/own-echoes.ts';
import { WIDGETS, widget } from '../../support/widgets.ts';

const KEY = { namespace: 'ns', name: 'a' };
const OTHERS = { ...WIDGETS, plural: 'others' };

/** Echoes of widgets, and the versions that were told as news. */
function bench() {
  const echoes = new OwnEchoes([WIDGETS]);
  const news: string[] = [];
  const arrives = (version: string): void => echoes.tell(WIDGETS, widget('a', version), () => void news.push(version));
  return { echoes, news, arrives, write: () => echoes.sending(WIDGETS, KEY) };
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
  echoes.sending(OTHERS, KEY)('5');
  echoes.tell(OTHERS, widget('a', '5'), () => void news.push('5'));
  assert.deepEqual(news, ['5']);
});
