import type { Clock, Timer } from '../base/clock.ts';
import { invariant } from '../base/errors.ts';
import { formatKey, type ObjectKey } from '../base/resource.ts';
import { KeyedHeap } from './keyed-heap.ts';
import type { Priority, QueueCauses } from './queue-causes.ts';

/** A key whose delay is over. */
export interface DueKey {
  readonly key: ObjectKey;
  readonly causes: QueueCauses;
  readonly priority: Priority;
}

/** Keys that are to be added later. A key stands here once; the earliest time asked for wins (client-go delaying_queue.go). */
export class DelayQueue {
  readonly #clock: Clock;
  readonly #onDue: (due: DueKey) => void;
  readonly #heap = new KeyedHeap();
  readonly #waiting = new Map<string, DueKey>();
  #timer: { readonly dueMs: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, onDue: (due: DueKey) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Keeps the key for `delayMs`, which may be any finite number. */
  add(key: ObjectKey, delayMs: number, priority: Priority, causes: QueueCauses): void {
    invariant(Number.isFinite(delayMs), 'a delay is a finite number of milliseconds');
    const text = formatKey(key);
    const present = this.#waiting.get(text);
    if (present !== undefined) causes.join(present.causes);
    this.#waiting.set(text, { key, causes, priority: present?.priority === 'normal' ? 'normal' : priority });
    this.#heap.offer(text, this.#clock.monotonic() + delayMs);
    this.#arm();
  }

  /** Forgets one key. */
  remove(text: string): void {
    this.#heap.remove(text);
    this.#waiting.delete(text);
    this.#arm();
  }

  /** Forgets every key. */
  clear(): void {
    this.#heap.clear();
    this.#waiting.clear();
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  /** One timer stands for the earliest key. */
  #arm(): void {
    const next = this.#heap.peek();
    if (this.#timer?.dueMs === next?.rank) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (next === undefined) return;
    const timer = this.#clock.setTimer(Math.max(0, next.rank - this.#clock.monotonic()), () => this.#fire());
    this.#timer = { dueMs: next.rank, timer };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#heap.peek(); next !== undefined && next.rank <= now; next = this.#heap.peek()) {
      this.#heap.take();
      const due = this.#waiting.get(next.key);
      this.#waiting.delete(next.key);
      if (due !== undefined) this.#onDue(due);
    }
    this.#arm();
  }
}
