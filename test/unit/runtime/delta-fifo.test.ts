import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeltaFifo, type DeltaFifoOptions } from '../../../src/runtime/delta-fifo.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A clock on which each look at the time costs 3 ms, and whose turns are counted. */
class BusyClock extends FakeClock {
  turns = 0;
  #readMs = 0;

  override monotonic(): number {
    return (this.#readMs += 3);
  }

  override setImmediate(callback: () => void): void {
    super.setImmediate(() => {
      this.turns += 1;
      callback();
    });
  }
}

function fifo(process: (entry: string) => Iterable<void>, options: Partial<DeltaFifoOptions<string>> = {}) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  return { clock, errors, queue: new DeltaFifo({ clock, process, onError: (e) => errors.push(e), ...options }) };
}

test('entries are worked off in order, in a later turn', async () => {
  const worked: string[] = [];
  const { clock, queue } = fifo((entry) => [void worked.push(entry)]);
  queue.push('a');
  queue.push('b');
  assert.deepEqual(worked, []);
  await clock.settle();
  assert.deepEqual(worked, ['a', 'b']);
});

test('a turn ends when its budget is used up, in the middle of an entry too, and no other entry is begun before', async () => {
  const worked: string[] = [];
  const clock = new BusyClock();
  const process = function* (entry: string): Generator<void> {
    for (let part = 1; part <= 6; part++) {
      worked.push(`${entry}${part}`);
      yield;
    }
  };
  const queue = new DeltaFifo({ clock, process, onError: (error) => assert.ifError(error), budgetMs: 8 });
  queue.push('a');
  queue.push('b');
  await clock.settle();
  assert.deepEqual(worked, [1, 2, 3, 4, 5, 6].map((n) => `a${n}`).concat([1, 2, 3, 4, 5, 6].map((n) => `b${n}`)));
  assert.ok(clock.turns >= 4, `${clock.turns} turns`);
});

test('R30 an entry whose work throws is given up and the next one follows', async () => {
  const worked: string[] = [];
  const { clock, queue, errors } = fifo((entry) => {
    if (entry === 'bad') throw new Error('broken');
    return [void worked.push(entry)];
  });
  queue.push('bad');
  queue.push('good');
  await clock.settle();
  assert.deepEqual(worked, ['good']);
  assert.equal(errors.length, 1);
});

test('a producer waits while too many entries wait', async () => {
  const { clock, queue } = fifo(() => [], { highWater: 2 });
  queue.push('a');
  queue.push('b');
  let room = false;
  const waiting = queue.whenRoom().then(() => (room = true));
  assert.equal(room, false);
  await clock.settle();
  await waiting;
});

test('R29 nothing is worked off after close, and producers are released', async () => {
  const worked: string[] = [];
  const { clock, queue } = fifo((entry) => [void worked.push(entry)], { highWater: 1 });
  queue.push('a');
  const waiting = queue.whenRoom();
  queue.close();
  queue.push('b');
  await waiting;
  await clock.settle();
  assert.deepEqual(worked, []);
});

test('entries beyond any number keep their order', async () => {
  const worked: number[] = [];
  const { clock, queue } = fifo((entry) => [void worked.push(Number(entry))]);
  for (let n = 0; n < 10_000; n++) queue.push(String(n));
  await clock.settle();
  assert.deepEqual(
    worked,
    Array.from({ length: 10_000 }, (_, n) => n),
  );
});
