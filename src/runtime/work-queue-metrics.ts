import type { Clock, Timer } from '../base/clock.ts';
import type { Counter, Gauge, Histogram, Metrics } from '../base/metrics.ts';

/** What the metrics of a queue are made of. */
export interface WorkQueueMetricsOptions {
  /** Name of the queue, which is that of its controller. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** How often the ages of running work are brought up to date (client-go workqueue/metrics.go). */
const REFRESH_MS = 500;

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1000];

/** The metrics of one work queue, under the names and meanings of client-go, so that existing dashboards read them. */
export class WorkQueueMetrics {
  readonly #clock: Clock;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #depth: Gauge;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queued: Histogram;
  readonly #worked: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  readonly #running = new Map<string, number>();
  #timer: Timer | undefined;

  constructor({ name, clock, metrics }: WorkQueueMetricsOptions) {
    const labels = ['name', 'controller'];
    this.#clock = clock;
    this.#labels = { name, controller: name };
    this.#depth = metrics.gauge({
      name: 'workqueue_depth',
      help: 'Keys that wait for a worker.',
      labels: [...labels, 'priority'],
    });
    this.#adds = metrics.counter({
      name: 'workqueue_adds_total',
      help: 'Keys added, repetitions not counted.',
      labels,
    });
    this.#retries = metrics.counter({ name: 'workqueue_retries_total', help: 'Keys added for a later time.', labels });
    this.#queued = metrics.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long keys wait for a worker.',
      labels,
      buckets: SECONDS,
    });
    this.#worked = metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long the work on a key takes.',
      labels,
      buckets: SECONDS,
    });
    this.#unfinished = metrics.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds of work in progress, summed over all workers.',
      labels,
    });
    this.#longest = metrics.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Age of the longest running work; a worker that is stuck shows here.',
      labels,
    });
    this.#adds.add(this.#labels, 0);
    this.#retries.add(this.#labels, 0);
  }

  added(): void {
    this.#adds.add(this.#labels);
  }

  delayed(): void {
    this.#retries.add(this.#labels);
  }

  /** `priority` is the number controller-runtime uses for it. */
  depth(priority: string, keys: number): void {
    this.#depth.set(keys, { ...this.#labels, priority });
  }

  started(key: string, waitedMs: number): void {
    this.#queued.observe(waitedMs / 1000, this.#labels);
    this.#running.set(key, this.#clock.monotonic());
    if (this.#timer === undefined) this.#refresh();
  }

  finished(key: string): void {
    const since = this.#running.get(key);
    if (since === undefined) return;
    this.#running.delete(key);
    this.#worked.observe((this.#clock.monotonic() - since) / 1000, this.#labels);
    if (this.#running.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#setAges();
  }

  #refresh(): void {
    this.#setAges();
    this.#timer = this.#clock.setTimer(REFRESH_MS, () => this.#refresh());
  }

  #setAges(): void {
    const now = this.#clock.monotonic();
    let sum = 0;
    let longest = 0;
    for (const since of this.#running.values()) {
      sum += now - since;
      longest = Math.max(longest, now - since);
    }
    this.#unfinished.set(sum / 1000, this.#labels);
    this.#longest.set(longest / 1000, this.#labels);
  }
}
