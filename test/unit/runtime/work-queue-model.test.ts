import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingMetrics } from '../../support/silent-ports.ts';

const never = new AbortController().signal;

/** Queue, dirty and processing of client-go, without priorities, timers or getters: as plain as its description. */
class NaiveQueue {
  readonly waiting: string[] = [];
  readonly dirty = new Set<string>();
  readonly processing = new Set<string>();
  readonly delayed = new Map<string, number>();

  add(name: string): void {
    if (this.dirty.has(name)) return;
    this.dirty.add(name);
    if (!this.processing.has(name)) this.waiting.push(name);
  }

  addAfter(name: string, dueMs: number): void {
    if ((this.delayed.get(name) ?? Number.POSITIVE_INFINITY) <= dueMs) return;
    this.delayed.delete(name); // a key that is moved forward goes behind those already due at that time
    this.delayed.set(name, dueMs);
  }

  take(): string | undefined {
    const name = this.waiting.shift();
    if (name === undefined) return undefined;
    this.dirty.delete(name);
    this.processing.add(name);
    return name;
  }

  done(name: string): void {
    if (this.processing.delete(name) && this.dirty.has(name)) this.waiting.push(name);
  }

  moveTo(nowMs: number): void {
    const due = [...this.delayed].filter(([, dueMs]) => dueMs <= nowMs).toSorted(([, x], [, y]) => x - y);
    for (const [name] of due) {
      this.delayed.delete(name);
      this.add(name);
    }
  }
}

type Operation =
  | { readonly type: 'add' | 'done'; readonly name: string }
  | { readonly type: 'addAfter'; readonly name: string; readonly delayMs: number }
  | { readonly type: 'take' }
  | { readonly type: 'advance'; readonly byMs: number };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constantFrom('add' as const, 'done' as const), name }),
  fc.record({ type: fc.constant('addAfter' as const), name, delayMs: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ type: fc.constant('take' as const) }),
  fc.record({ type: fc.constant('advance' as const), byMs: fc.integer({ min: 1, max: 100 }) }),
);

async function apply(queue: WorkQueue, model: NaiveQueue, clock: FakeClock, step: Operation): Promise<void> {
  switch (step.type) {
    case 'add':
      queue.add({ name: step.name });
      model.add(step.name);
      return;
    case 'done':
      queue.done({ name: step.name });
      model.done(step.name);
      return;
    case 'addAfter':
      queue.addAfter({ name: step.name }, step.delayMs);
      model.addAfter(step.name, clock.monotonic() + step.delayMs);
      return;
    case 'take': {
      const expected = model.take();
      const taken = queue.length === 0 ? undefined : await queue.get(never);
      assert.equal(taken?.key.name, expected);
      return;
    }
    case 'advance':
      for (let ms = 0; ms < step.byMs; ms++) {
        await clock.advance(1);
        model.moveTo(clock.monotonic());
      }
      return;
    default:
      assert.fail('unknown operation');
  }
}

test('the queue does what the three sets of its description do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (steps) => {
      const clock = new FakeClock();
      const queue = new WorkQueue({ name: 'q', clock, random: seededRandom(), metrics: recordingMetrics() });
      const model = new NaiveQueue();
      for (const step of steps) {
        await apply(queue, model, clock, step);
        assert.equal(queue.length, model.waiting.length);
      }
    }),
    { numRuns: 60 },
  );
});
