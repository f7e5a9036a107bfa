import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { KeyedHeap } from '../../../src/runtime/keyed-heap.ts';

/** The same promise without a heap: a list that is sorted whenever something is taken. */
class NaiveHeap {
  #entries: { key: string; rank: number; order: number }[] = [];
  #order = 0;

  get size(): number {
    return this.#entries.length;
  }

  offer(key: string, rank: number): void {
    const present = this.#entries.find((entry) => entry.key === key);
    if (present !== undefined && present.rank <= rank) return;
    this.#entries = this.#entries.filter((entry) => entry.key !== key);
    this.#entries.push({ key, rank, order: this.#order++ });
  }

  take(): string | undefined {
    this.#entries.sort((a, b) => a.rank - b.rank || a.order - b.order);
    return this.#entries.shift()?.key;
  }
}

test('gives keys by rank, each once under its lowest rank, equal ranks in order of arrival', () => {
  const offer = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), rank: fc.integer({ min: 0, max: 3 }) });
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: offer }, { weight: 1, arbitrary: fc.constant('take' as const) }), {
        maxLength: 200,
      }),
      (operations) => {
        const heap = new KeyedHeap();
        const naive = new NaiveHeap();
        for (const operation of operations) {
          if (operation === 'take') {
            assert.equal(heap.take(), naive.take());
          } else {
            heap.offer(operation.key, operation.rank);
            naive.offer(operation.key, operation.rank);
          }
          assert.equal(heap.size, naive.size);
        }
      },
    ),
  );
});

test('looking at the first key leaves it in place', () => {
  const heap = new KeyedHeap();
  heap.offer('a', 2);
  heap.offer('b', 1);
  assert.deepEqual([heap.peek()?.key, heap.take(), heap.take(), heap.take()], ['b', 'b', 'a', undefined]);
});
