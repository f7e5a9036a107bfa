import type { BackoffOptions } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import { formatKey, type ObjectKey } from '../base/resource.ts';
import { DelayQueue } from './delay-queue.ts';
import { KeyBackoff, type KeyDelayOptions } from './key-backoff.ts';
import { KeyedHeap } from './keyed-heap.ts';
import { type Priority, QueueCauses } from './queue-causes.ts';
import { TokenBucket, type TokenBucketOptions } from './token-bucket.ts';
import { WorkQueueMetrics } from './work-queue-metrics.ts';

/** How a key is added. */
export interface AddOptions {
  /** Why, in a word or two: `ResourceQuota changed`. A few are kept per key and end in the log of the reconcile. */
  readonly cause?: string | readonly string[];
  /** @defaultValue 'normal' */
  readonly priority?: Priority;
}

/** How a failed key is added again. */
export interface RetryOptions extends AddOptions, KeyDelayOptions {}

/** A key handed to a worker. */
export interface WorkItem {
  readonly key: ObjectKey;
  readonly priority: Priority;
  readonly causes: readonly string[];
  /** Failures in a row so far. */
  readonly failures: number;
}

/** What a queue is made of. */
export interface WorkQueueOptions {
  /** The controller's name; a metric label. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Delay after the first failure, and its limit. @defaultValue 0.5 s to 5 min, up to 10 % of jitter on top */
  readonly backoff?: BackoffOptions;
  /** A limit on the retries of all keys together, on top of their own delays. @defaultValue none */
  readonly retryRate?: TokenBucketOptions;
}

interface Entry {
  readonly key: ObjectKey;
  readonly causes: QueueCauses;
  /** Needs a run that has not begun. */
  dirty: boolean;
  processing: boolean;
  /** Was added again while in flight when draining began: runs once more before the drain ends. */
  owed: boolean;
  priority: Priority;
  readySinceMs: number;
}

const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 500, capMs: 300_000, jitter: 0.1 };

/** A key of low priority waits as if it had been added this much later: longer than a burst of news, far shorter than for ever. */
const LOW_PRIORITY_HANDICAP_MS = 10_000;

/** The numbers controller-runtime gives to the two priorities. */
const PRIORITY_LABEL: Readonly<Record<Priority, string>> = { normal: '0', low: '-100' };

/**
 * Keys that need work, as in client-go: a key stands in the queue once however often it is added; it is never in flight twice;
 * added while in flight, it runs exactly once more. On top of that: delays (the earliest wins), a backoff per key, priorities
 * with ageing, and the causes of each run.
 *
 * A worker calls {@link get}, does the work, says {@link forget} or {@link retry}, and ends with {@link done}.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #metrics: WorkQueueMetrics;
  readonly #backoff: KeyBackoff;
  readonly #retryRate: TokenBucket | undefined;
  readonly #delayed: DelayQueue;
  readonly #entries = new Map<string, Entry>();
  readonly #ready = new KeyedHeap();
  readonly #depth: Record<Priority, number> = { normal: 0, low: 0 };
  readonly #getters = new Set<(item: WorkItem | undefined) => void>();
  #inFlight = 0;
  #owed = 0;
  #shutDown = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions) {
    this.name = options.name;
    this.#clock = options.clock;
    this.#metrics = new WorkQueueMetrics(options);
    this.#backoff = new KeyBackoff(options.backoff ?? DEFAULT_BACKOFF, options.clock, options.random);
    this.#retryRate = options.retryRate === undefined ? undefined : new TokenBucket(options.retryRate, options.clock);
    this.#delayed = new DelayQueue(options.clock, ({ key, priority, causes }) => this.#add(key, priority, causes));
  }

  /** Keys that wait for a worker; neither delayed nor in flight. */
  get length(): number {
    return this.#ready.size;
  }

  /** Adds a key. If it waits already, causes are joined and the higher priority wins. After shutdown nothing is added. */
  add(key: ObjectKey, options: AddOptions = {}): void {
    this.#add(key, options.priority ?? 'normal', new QueueCauses(options.cause));
  }

  /**
   * Adds a key after a delay, which may be any finite number of milliseconds. If it is delayed already, the earlier time wins. A
   * plain {@link add} meanwhile does not take the delayed one back: a second, harmless run follows.
   */
  addAfter(key: ObjectKey, delayMs: number, options: AddOptions = {}): void {
    if (this.#shutDown) return;
    this.#metrics.delayed();
    if (delayMs <= 0) this.add(key, options);
    else this.#delayed.add(key, delayMs, options.priority ?? 'normal', new QueueCauses(options.cause));
  }

  /** Adds a failed key with its backoff and returns the delay. See {@link KeyBackoff} for what counts as a failure. */
  retry(key: ObjectKey, options: RetryOptions = {}): number {
    const ownMs = this.#backoff.nextMs(formatKey(key), options);
    const delayMs = Math.max(ownMs, this.#retryRate?.takeMs() ?? 0);
    this.addAfter(key, delayMs, options);
    return delayMs;
  }

  /** The key succeeded: its next failure begins at the first delay. Takes nothing out of the queue. */
  forget(key: ObjectKey): void {
    this.#backoff.forget(formatKey(key));
  }

  /** Takes a key out that waits or is delayed, and forgets its failures: there is nothing to be done for it. A key in flight stays. */
  drop(key: ObjectKey): void {
    const text = formatKey(key);
    this.#backoff.forget(text);
    this.#delayed.remove(text);
    const entry = this.#entries.get(text);
    if (entry === undefined || entry.processing) return;
    this.#ready.remove(text);
    this.#entries.delete(text);
    this.#changeDepth(entry.priority, -1);
  }

  /** Failures in a row of a key. */
  failures(key: ObjectKey): number {
    return this.#backoff.failures(formatKey(key));
  }

  /**
   * The next key, as soon as there is one. `undefined` when the signal fired, or when the queue was shut down and nothing waits
   * any more. The key is in flight until {@link done}.
   */
  get(signal: AbortSignal): Promise<WorkItem | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const item = this.#take();
    if (item !== undefined || this.#shutDown) return Promise.resolve(item);
    return new Promise((resolve) => {
      const finish = (result: WorkItem | undefined): void => {
        signal.removeEventListener('abort', onAbort);
        this.#getters.delete(finish);
        resolve(result);
      };
      const onAbort = (): void => finish(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#getters.add(finish);
    });
  }

  /** Ends the work on a key. If it was added meanwhile, it waits again. */
  done(key: ObjectKey): void {
    const text = formatKey(key);
    const entry = this.#entries.get(text);
    if (entry === undefined || !entry.processing) return;
    entry.processing = false;
    this.#inFlight -= 1;
    this.#metrics.finished(text);
    this.#setOwed(entry, entry.dirty && this.#drained !== undefined);
    if (entry.dirty) this.#enqueue(text, entry);
    else this.#entries.delete(text);
    this.#checkDrained();
  }

  /** Takes no more keys, drops delayed ones, still hands out those that wait, and then releases every {@link get}. */
  shutDown(): void {
    this.#shutDown = true;
    this.#delayed.clear();
    this.#drained?.resolve();
    for (const finish of [...this.#getters]) finish(undefined);
  }

  /**
   * Shuts down and resolves when nothing is in flight, keys that were added again while in flight included. Does not wait for
   * keys nobody has taken. A {@link shutDown} after it, or the signal, ends the wait.
   */
  async drain(signal: AbortSignal): Promise<void> {
    this.shutDown();
    if (signal.aborted) return;
    this.#drained ??= Promise.withResolvers();
    const { promise, resolve } = this.#drained;
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#checkDrained();
    await promise;
    signal.removeEventListener('abort', onAbort);
  }

  #checkDrained(): void {
    if (this.#inFlight === 0 && this.#owed === 0) this.#drained?.resolve();
  }

  #setOwed(entry: Entry, owed: boolean): void {
    if (entry.owed !== owed) this.#owed += owed ? 1 : -1;
    entry.owed = owed;
  }

  #add(key: ObjectKey, priority: Priority, causes: QueueCauses): void {
    if (this.#shutDown) return;
    const text = formatKey(key);
    const entry = this.#entries.get(text) ?? newEntry(key);
    this.#entries.set(text, entry);
    entry.causes.join(causes);
    if (entry.dirty) {
      if (entry.priority === 'low' && priority === 'normal') this.#raise(text, entry);
      return;
    }
    entry.dirty = true;
    entry.priority = priority;
    this.#metrics.added();
    if (!entry.processing) this.#enqueue(text, entry);
  }

  #enqueue(text: string, entry: Entry): void {
    entry.readySinceMs = this.#clock.monotonic();
    this.#ready.offer(text, this.#rank(entry.priority));
    this.#changeDepth(entry.priority, 1);
    for (const finish of this.#getters) {
      finish(this.#take());
      return;
    }
  }

  #raise(text: string, entry: Entry): void {
    if (!entry.processing) {
      this.#changeDepth('low', -1);
      this.#changeDepth('normal', 1);
      this.#ready.offer(text, this.#rank('normal'));
    }
    entry.priority = 'normal';
  }

  /** A rank that is fixed when a key begins to wait orders keys as a priority that grows with the waiting would. */
  #rank(priority: Priority): number {
    return this.#clock.monotonic() + (priority === 'low' ? LOW_PRIORITY_HANDICAP_MS : 0);
  }

  #take(): WorkItem | undefined {
    const text = this.#ready.take();
    const entry = text === undefined ? undefined : this.#entries.get(text);
    if (text === undefined || entry === undefined) return undefined;
    entry.dirty = false;
    entry.processing = true;
    this.#inFlight += 1;
    this.#changeDepth(entry.priority, -1);
    this.#metrics.started(text, this.#clock.monotonic() - entry.readySinceMs);
    return {
      key: entry.key,
      priority: entry.priority,
      causes: entry.causes.take(),
      failures: this.#backoff.failures(text),
    };
  }

  #changeDepth(priority: Priority, by: number): void {
    this.#depth[priority] += by;
    this.#metrics.depth(PRIORITY_LABEL[priority], this.#depth[priority]);
  }
}

function newEntry(key: ObjectKey): Entry {
  return {
    key,
    causes: new QueueCauses(),
    dirty: false,
    processing: false,
    owed: false,
    priority: 'normal',
    readySinceMs: 0,
  };
}
