import { childController, nextTurn } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError, invariant } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import { type Outcome, transient } from '../base/outcome.ts';
import type { Random } from '../base/random.ts';
import { formatKey, type ObjectKey } from '../base/resource.ts';
import { SILENT_TRACER, type Tracer } from '../base/tracer.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import type { Reconcile, ReconcileRequest } from './reconcile.ts';
import { describeReconcile, reconcileSpan } from './reconcile-span.ts';
import { settle, withFiniteDelay } from './settle.ts';
import type { WorkItem, WorkQueue } from './work-queue.ts';
import type { LedgerGate, StaleCache } from './write-ledger.ts';

/** What a controller is made of. */
export interface ControllerOptions {
  /** Unique in the process: metric label and `controller` in log lines. */
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  /** Reconciles at the same time. @defaultValue 1 */
  readonly workers?: number;
  /** Holds a reconcile back while the caches are behind our own writes for its object. @defaultValue nothing is held back */
  readonly ledger?: LedgerGate;
  /** Deadline of one reconcile. @defaultValue 60 000 */
  readonly timeoutMs?: number;
  /** @defaultValue records nothing */
  readonly tracer?: Tracer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A reconcile met its deadline; it is tried again with backoff. Code `HOMEOSTAT_RECONCILE_TIMEOUT`. */
export class ReconcileTimeout extends HomeostatError {
  constructor(key: ObjectKey, timeoutMs: number) {
    super('HOMEOSTAT_RECONCILE_TIMEOUT', `The reconcile of ${formatKey(key)} took longer than ${timeoutMs} ms`);
  }
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A key held back by the ledger is looked at again after this, whatever the cache says. */
const STALE_RECHECK_MS = 100;

/**
 * Takes keys from a queue, reconciles each, and settles what came of it. Survives whatever a reconcile does, except one that
 * never returns: that one keeps its worker, and shows in `workqueue_longest_running_processor_seconds`.
 */
export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #metrics: ControllerMetrics;
  readonly #timeoutMs: number;
  readonly #workers: number;
  /** Ends the waits for caches, putting their keys back at once. */
  readonly #heldBack = new Set<() => void>();
  #running = false;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#workers = options.workers ?? 1;
    this.#metrics = new ControllerMetrics(options.name, options.metrics);
    this.#metrics.workers(this.#workers);
  }

  /** Whether it works, from {@link run} on until the last reconcile has ended. */
  get isRunning(): boolean {
    return this.#running;
  }

  /**
   * Works until `stop` fires: no further key is taken then, running reconciles end by themselves, and this resolves after the
   * last. `abort` fires their signals. May be called again afterwards, as a lost and regained lease does; the queue keeps what
   * came meanwhile.
   */
  async run(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    invariant(!this.#running, `controller ${this.name} runs once at a time`);
    this.#running = true;
    const intake = childController(stop, abort);
    try {
      await Promise.all(Array.from({ length: this.#workers }, () => this.#work(intake.signal, abort)));
    } finally {
      intake.release();
      for (const putBack of [...this.#heldBack]) putBack();
      this.#running = false;
    }
  }

  async #work(intake: AbortSignal, abort: AbortSignal): Promise<void> {
    const { queue, clock } = this.#options;
    for (let item = await queue.get(intake); item !== undefined; item = await queue.get(intake)) {
      try {
        if (intake.aborted) queue.add(item.key, { priority: item.priority, cause: 'stopped' });
        else await this.#handle(item, abort);
      } finally {
        queue.done(item.key);
      }
      // Reconciles with nothing to do complete without I/O: a thousand of them must not hold the event loop.
      await nextTurn(clock);
    }
  }

  async #handle(item: WorkItem, abort: AbortSignal): Promise<void> {
    const stale = this.#options.ledger?.staleness(item.key);
    if (stale?.overdue === false) this.#holdBack(item, stale);
    else await this.#reconcile(item, stale !== undefined, abort);
  }

  /** Not a failure: the key comes back as soon as the cache has caught up, and no later than the recheck. */
  #holdBack(item: WorkItem, stale: StaleCache): void {
    const { queue, clock, log } = this.#options;
    this.#metrics.skipped();
    log.debug('Reconcile put off: the cache is behind our own write', {
      controller: this.name,
      ...keyFields(item.key),
      resource: stale.resource,
      written: stale.written,
      cached: stale.cached,
    });
    let stopWaiting = (): void => undefined;
    const putBack = (): void => {
      if (!this.#heldBack.delete(putBack)) return;
      timer.cancel();
      stopWaiting();
      queue.add(item.key, { priority: item.priority, cause: item.causes });
    };
    const timer = clock.setTimer(STALE_RECHECK_MS, putBack);
    this.#heldBack.add(putBack);
    stopWaiting = stale.whenCaughtUp(putBack);
  }

  async #reconcile(item: WorkItem, cacheBehind: boolean, abort: AbortSignal): Promise<void> {
    const { clock, random, queue } = this.#options;
    const reconcileId = random.uuid();
    const log = this.#options.log.with({
      controller: this.name,
      ...keyFields(item.key),
      reconcileID: reconcileId,
    });
    const startMs = clock.monotonic();
    this.#metrics.started();
    const { key, causes, failures } = item;
    const request = { key, causes, failures, reconcileId, cacheBehind, log };
    const { tracer = SILENT_TRACER } = this.#options;
    const outcome = await tracer.unit(reconcileSpan(this.name, request), async (span) => {
      const result = await this.#outcomeOf(request, abort);
      if (span.recorded) describeReconcile(span, result);
      return result;
    });
    const ms = clock.monotonic() - startMs;
    this.#metrics.ended(ms);
    if (outcome === undefined) {
      queue.add(item.key, { priority: item.priority, cause: 'stopped' });
      log.debug('Reconcile cut off', { causes: item.causes, ms });
      return;
    }
    this.#metrics.result(settle(queue, item, outcome, random));
    if (outcome.type === 'terminal') this.#metrics.terminal();
    const reason = 'reason' in outcome ? outcome.reason : undefined;
    log.debug('Reconciled', { causes: item.causes, outcome: outcome.type, reason, ms: Math.round(ms) });
  }

  /** What the reconcile came to; `undefined` when it was cut off by a stop, which says nothing about the object. */
  async #outcomeOf(request: Omit<ReconcileRequest, 'signal'>, abort: AbortSignal): Promise<Outcome | undefined> {
    const { key, log } = request;
    const limit = childController(abort);
    const timer = this.#options.clock.setTimer(this.#timeoutMs, () =>
      limit.abort(new ReconcileTimeout(key, this.#timeoutMs)),
    );
    const { signal } = limit;
    try {
      return withFiniteDelay(await this.#options.reconcile({ ...request, signal }));
    } catch (error) {
      if (signal.reason instanceof ReconcileTimeout) return transient('Retrying', signal.reason.message);
      if (signal.aborted) return undefined;
      this.#metrics.panic();
      log.error('The reconcile threw; this is a bug. It is tried again with backoff', {
        err: error instanceof Error ? error : String(error),
      });
      return transient('Bug', 'The reconcile threw', { cause: error });
    } finally {
      timer.cancel();
      limit.release();
      if (signal.reason instanceof ReconcileTimeout) {
        this.#metrics.timeout();
        log.warn('The reconcile met its deadline', { ms: this.#timeoutMs });
      }
    }
  }
}

/** Every line of a reconcile has the same keys: the namespace of a cluster-scoped object is empty, as in controller-runtime. */
function keyFields({ namespace = '', name }: ObjectKey): { readonly namespace: string; readonly name: string } {
  return { namespace, name };
}
