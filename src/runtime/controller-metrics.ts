import type { Counter, Gauge, Histogram, Metrics } from '../base/metrics.ts';

/** controller-runtime's words for what became of a reconcile. */
export type ReconcileResult = 'success' | 'requeue_after' | 'error';

const RESULTS: readonly ReconcileResult[] = ['success', 'requeue_after', 'error'];

/** Of controller-runtime, thinned out: from a no-op to the deadline. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60];

/** The metrics of one controller, under controller-runtime's names. Every series exists from the start, so that rates are right. */
export class ControllerMetrics {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #total: Counter;
  readonly #errors: Counter;
  readonly #terminal: Counter;
  readonly #panics: Counter;
  readonly #timeouts: Counter;
  readonly #skipped: Counter;
  readonly #seconds: Histogram;
  readonly #active: Gauge;
  readonly #workers: Gauge;
  #activeWorkers = 0;

  constructor(controller: string, metrics: Metrics) {
    const labels = ['controller'];
    const counter = (name: string, help: string): Counter => metrics.counter({ name, help, labels });
    this.#labels = { controller };
    this.#total = metrics.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles by result.',
      labels: [...labels, 'result'],
    });
    this.#errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed, for now or for good.');
    this.#terminal = counter(
      'controller_runtime_terminal_reconcile_errors_total',
      'Reconciles that cannot succeed with the present spec.',
    );
    this.#panics = counter('controller_runtime_reconcile_panics_total', 'Reconciles that threw: bugs.');
    this.#timeouts = counter('controller_runtime_reconcile_timeouts_total', 'Reconciles that met their deadline.');
    this.#skipped = counter(
      'homeostat_stale_reconciles_skipped_total',
      'Reconciles put off since a cache had not caught up with our own writes.',
    );
    this.#seconds = metrics.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Duration of reconciles.',
      labels,
      buckets: SECONDS,
    });
    this.#active = metrics.gauge({
      name: 'controller_runtime_active_workers',
      help: 'Workers with a reconcile in hand.',
      labels,
    });
    this.#workers = metrics.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Workers of the controller.',
      labels,
    });
    this.#zero();
  }

  #zero(): void {
    for (const result of RESULTS) this.#total.add({ ...this.#labels, result }, 0);
    for (const counter of [this.#errors, this.#terminal, this.#panics, this.#timeouts, this.#skipped]) {
      counter.add(this.#labels, 0);
    }
    this.#active.set(0, this.#labels);
  }

  workers(count: number): void {
    this.#workers.set(count, this.#labels);
  }

  started(): void {
    this.#activeWorkers += 1;
    this.#active.set(this.#activeWorkers, this.#labels);
  }

  ended(durationMs: number): void {
    this.#activeWorkers -= 1;
    this.#active.set(this.#activeWorkers, this.#labels);
    this.#seconds.observe(durationMs / 1000, this.#labels);
  }

  result(result: ReconcileResult): void {
    this.#total.add({ ...this.#labels, result });
    if (result === 'error') this.#errors.add(this.#labels);
  }

  terminal(): void {
    this.#terminal.add(this.#labels);
  }

  panic(): void {
    this.#panics.add(this.#labels);
  }

  timeout(): void {
    this.#timeouts.add(this.#labels);
  }

  skipped(): void {
    this.#skipped.add(this.#labels);
  }
}
