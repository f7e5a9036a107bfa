import { systemClock } from '../../app/system-ports.ts';
import type { Timer } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Lane } from './lane.ts';
import { type Task, TaskHeap } from './task-heap.ts';

const NOTHING = (): void => undefined;

/** Turns asked for at once: each iteration of the event loop costs a look at all sockets and timers, of which a simulation has none. */
const TURNS_AT_ONCE = 32;

/** More tasks within one virtual second are a loop that waits for nothing: a whole simulation has about a tenth of that. */
export const MOST_STEPS_A_SECOND = 50_000;

/**
 * Virtual time, and the order in which things happen. Between two tasks every promise that can go on does so, exactly: tasks run in
 * turns of the event loop of their own, Node empties its queue of promises after each, and nothing in a simulation waits for anything
 * but tasks. Which process goes on first where several could is drawn from the seed; time moves only when none can.
 */
export class Timeline {
  readonly #random: Random;
  readonly #later = new TaskHeap();
  /** What can run now, by process. */
  readonly #ready: { readonly lane: Lane; readonly tasks: Task[] }[] = [];
  #nowMs: number;
  #order = 0;
  #steps = 0;
  /** The present second, and how many tasks had run before it. */
  #second = 0;
  #stepsBefore = 0;

  /** `nowMs` is where virtual time begins. */
  constructor(random: Random, nowMs = 0) {
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** Milliseconds since the simulation began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Tasks that have run so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Whether more happens in the present second than can ever come to an end. */
  get isRunaway(): boolean {
    return this.#steps - this.#stepsBefore > MOST_STEPS_A_SECOND;
  }

  /** Runs a callback on behalf of a process after this many milliseconds, rounded up, and in a later turn at the earliest. */
  after(lane: Lane, delayMs: number, run: () => void): Timer {
    const dueMs = this.#nowMs + Math.max(0, Math.ceil(delayMs));
    const task: Task = { dueMs, order: this.#order++, lane, run, cancelled: false };
    if (dueMs > this.#nowMs) this.#later.push(task);
    else this.#makeReady(task);
    return {
      cancel: () => {
        task.cancelled = true;
        // It may be long until its moment comes: what it would have done must not stay in memory until then.
        task.run = NOTHING;
      },
    };
  }

  /** Lets things happen until `isOver` says so, asked before each task, or until nothing is pending. Rejects with what a task throws. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let isRunning = true;
      const turn = (): void => {
        if (!isRunning) return;
        try {
          const task = isOver() ? undefined : this.#next();
          if (task === undefined) {
            isRunning = false;
            resolve();
            return;
          }
          this.#count();
          task.run();
        } catch (error) {
          isRunning = false;
          reject(error);
        }
      };
      const nextTurns = (): void => {
        if (!isRunning) return;
        for (let nth = 0; nth < TURNS_AT_ONCE; nth++) systemClock.setImmediate(turn);
        systemClock.setImmediate(nextTurns);
      };
      nextTurns();
    });
  }

  #count(): void {
    const second = Math.floor(this.#nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#stepsBefore = this.#steps;
    }
    this.#steps += 1;
  }

  #next(): Task | undefined {
    for (;;) {
      const task = this.#ready.length === 0 ? this.#advance() : this.#draw();
      if (task === undefined) return undefined;
      if (task.cancelled || task.lane.ended) continue;
      if (task.lane.pausedUntilMs <= this.#nowMs) return task;
      task.dueMs = task.lane.pausedUntilMs;
      this.#later.push(task);
    }
  }

  /** One of the processes that can go on, by chance; of its tasks the oldest. */
  #draw(): Task | undefined {
    const { length } = this.#ready;
    const index = length === 1 ? 0 : Math.floor(this.#random.next() * length);
    const chosen = this.#ready[index];
    const task = chosen?.tasks.shift();
    if (chosen?.tasks.length === 0) this.#ready.splice(index, 1);
    return task;
  }

  /** Moves to the next moment at which something is due. */
  #advance(): Task | undefined {
    let first = this.#later.first;
    // What was cancelled must not stop the clock anywhere.
    while (first !== undefined && (first.cancelled || first.lane.ended)) {
      this.#later.pop();
      first = this.#later.first;
    }
    if (first === undefined) return undefined;
    this.#nowMs = first.dueMs;
    while (this.#later.first?.dueMs === this.#nowMs) {
      const task = this.#later.pop();
      if (task !== undefined) this.#makeReady(task);
    }
    return this.#draw();
  }

  #makeReady(task: Task): void {
    const known = this.#ready.find(({ lane }) => lane === task.lane);
    if (known === undefined) this.#ready.push({ lane: task.lane, tasks: [task] });
    else known.tasks.push(task);
  }
}
