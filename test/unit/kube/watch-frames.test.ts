import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineSplitter, parseFrames, WatchFrameError } from '../../../src/kube/watch-frames.ts';
import { collect } from '../../support/collect.ts';
import { streamOf } from '../../support/memory-transport.ts';

/** The frames as they were parsed. */
function parsed(chunks: AsyncIterable<Uint8Array>, maxBytes?: number): AsyncGenerator {
  return parseFrames(chunks, (json) => json, maxBytes);
}

function chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncIterable<Uint8Array> {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return streamOf(ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)));
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

test('any way of cutting the bytes gives the same frames', async () => {
  const frame = fc.jsonValue({ maxDepth: 2 });
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 20 }), async (sent, cuts) => {
      const text = sent.map((value) => `${JSON.stringify(value)}\n`).join('');
      const received = await collect(parsed(chunksOf(encode(text), cuts)));
      assert.deepEqual(received, JSON.parse(`[${sent.map((value) => JSON.stringify(value)).join(',')}]`));
    }),
  );
});

test('characters of several bytes survive a cut at every byte', async () => {
  const bytes = encode('{"a":"grüße 漢字 🚀"}\n');
  const cuts = Array.from(bytes, (_byte, index) => index);
  assert.deepEqual(await collect(parsed(chunksOf(bytes, cuts))), [{ a: 'grüße 漢字 🚀' }]);
});

test('only a newline ends a frame, no other line separator', async () => {
  const bytes = encode('{"a":"x\u2028y\u2029z\u0085"}\r\n\n');
  assert.deepEqual(await collect(parsed(chunksOf(bytes, []))), [{ a: 'x\u2028y\u2029z\u0085' }]);
});

test('a frame is given as soon as its newline has arrived', () => {
  const splitter = new LineSplitter();
  assert.deepEqual([...splitter.push(encode('1\n2\n3'))], ['1', '2']);
  assert.equal(splitter.pendingBytes, 1);
  assert.deepEqual([...splitter.push(encode('4\n'))], ['34']);
});

test('a frame above the limit ends the stream, also when it never ends itself', async () => {
  const endless = streamOf(
    (function* (): Generator<Uint8Array> {
      for (;;) yield encode('xxxxxxxx');
    })(),
  );
  await assert.rejects(collect(parsed(endless, 100)), {
    code: 'HOMEOSTAT_WATCH_FRAME',
    message: 'A watch frame is longer than 100 bytes.',
  });
});

test('a frame that is exactly at the limit passes', async () => {
  const bytes = encode(`${JSON.stringify('x'.repeat(98))}\n`);
  assert.equal((await collect(parsed(chunksOf(bytes, [3]), 100))).length, 1);
});

test('a line that is no JSON is an error that does not quote it', async () => {
  const frames = parsed(chunksOf(encode('{"a":1}\n{"secret": hunter2\n'), []));
  assert.deepEqual((await frames.next()).value, { a: 1 });
  await assert.rejects(frames.next(), (error) => {
    assert.ok(error instanceof WatchFrameError);
    assert.doesNotMatch(`${error.message}${String(error.cause)}`, /hunter2/);
    return true;
  });
});

test('an end in the middle of a frame is an error', async () => {
  const bytes = encode('{"a":1}\n{"a":');
  await assert.rejects(collect(parsed(chunksOf(bytes, []))), /ended in the middle/);
});

test('an error of the stream passes through unchanged', async () => {
  const reason = new Error('reset');
  const broken = streamOf(
    (function* (): Generator<Uint8Array> {
      yield encode('1\n');
      throw reason;
    })(),
  );
  const frames = parsed(broken);
  assert.equal((await frames.next()).value, 1);
  await assert.rejects(frames.next(), (error) => error === reason);
});
