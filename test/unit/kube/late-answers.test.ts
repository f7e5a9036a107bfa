import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { endLateAnswers } from '../../../src/kube/late-answers.ts';

/** A stream that remembers the codes by which it was closed. */
class FakeStream extends EventEmitter {
  readonly closedBy: number[] = [];

  close(code: number): void {
    this.closedBy.push(code);
  }
}

/** What Node tells of a new stream that begins with these headers. */
function created(headers: Readonly<Record<string, unknown>>): FakeStream {
  const stream = new FakeStream();
  channel('http2.client.stream.created').publish({ stream, headers });
  return stream;
}

test('a stream that begins with an answer is cancelled, and its error raises nothing', (t) => {
  t.after(endLateAnswers());
  const stream = created({ ':status': 200 });
  assert.deepEqual(stream.closedBy, [constants.NGHTTP2_CANCEL]);
  assert.doesNotThrow(() => stream.emit('error', new Error('the connection is gone')));
});

test('a stream that begins with a request is left to who asked, and so is everything after the end', (t) => {
  const stop = endLateAnswers();
  t.after(stop);
  const asked = created({ ':method': 'GET', ':path': '/x' });
  stop();
  const later = created({ ':status': 200 });
  for (const stream of [asked, later]) {
    assert.deepEqual([stream.closedBy, stream.listenerCount('error')], [[], 0]);
  }
});
