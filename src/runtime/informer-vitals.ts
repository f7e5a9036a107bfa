import type { Clock, Timer } from '../base/clock.ts';
import type { Gauge, Metrics } from '../base/metrics.ts';
import type { ResourceType } from '../base/resource.ts';

/** What an informer measures itself by. */
export interface Vitals {
  readonly objects: number;
  readonly queued: number;
  readonly resourceVersion: string;
  /** Times are of the monotonic clock; `undefined` before the first list. */
  readonly lastFrameMs: number | undefined;
  /** `undefined` before the first bookmark. */
  readonly lastBookmarkMs: number | undefined;
  /** When the open watch was opened; `undefined` while none is open. */
  readonly watchSinceMs: number | undefined;
}

/** What the vitals are made of. */
export interface InformerVitalsOptions {
  readonly name: string;
  readonly type: ResourceType;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

const REFRESH_MS = 10_000;

/** A resourceVersion may need more digits than a float holds exactly; the low ones tell whether it moves (KEP-4346). */
const EXACT_DIGITS = 15;

/** Keeps an informer's gauges fresh while it runs; the age of the last event must rise even when nothing happens. */
export class InformerVitals {
  readonly #options: InformerVitalsOptions;
  readonly #read: () => Vitals;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #queued: Gauge;
  readonly #version: Gauge;
  readonly #objects: Gauge;
  readonly #eventAge: Gauge;
  readonly #bookmarkAge: Gauge;
  readonly #watchAge: Gauge;
  #timer: Timer | undefined;

  constructor(options: InformerVitalsOptions, read: () => Vitals) {
    const { metrics, name, type } = options;
    this.#options = options;
    this.#read = read;
    this.#labels = { name, group: type.group, version: type.version, resource: type.plural };
    const labels = Object.keys(this.#labels);
    this.#queued = metrics.gauge({ name: 'informer_queued_items', help: 'Changes that wait for the store.', labels });
    this.#version = metrics.gauge({
      name: 'informer_store_resource_version',
      help: 'The 15 low digits of the resourceVersion the cache has come to.',
      labels,
    });
    this.#objects = metrics.gauge({ name: 'homeostat_informer_objects', help: 'Objects in the cache.', labels });
    this.#eventAge = metrics.gauge({
      name: 'homeostat_informer_last_event_age_seconds',
      help: 'Time since the last list, event or bookmark; a bookmark comes about once a minute.',
      labels,
    });
    this.#bookmarkAge = metrics.gauge({
      name: 'homeostat_informer_last_bookmark_age_seconds',
      help: 'Time since the last bookmark; above two minutes, the server sends none.',
      labels,
    });
    this.#watchAge = metrics.gauge({
      name: 'homeostat_informer_watch_age_seconds',
      help: 'Age of the open watch; absent while none is open.',
      labels,
    });
  }

  start(): void {
    this.#refresh();
    this.#timer = this.#options.clock.setTimer(REFRESH_MS, () => this.start());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#refresh();
  }

  #refresh(): void {
    const { objects, queued, resourceVersion, lastFrameMs, lastBookmarkMs, watchSinceMs } = this.#read();
    this.#objects.set(objects, this.#labels);
    this.#queued.set(queued, this.#labels);
    if (/^\d+$/.test(resourceVersion)) this.#version.set(Number(resourceVersion.slice(-EXACT_DIGITS)), this.#labels);
    this.#setAge(this.#eventAge, lastFrameMs);
    this.#setAge(this.#bookmarkAge, lastBookmarkMs);
    this.#setAge(this.#watchAge, watchSinceMs);
  }

  #setAge(gauge: Gauge, sinceMs: number | undefined): void {
    if (sinceMs === undefined) gauge.remove(this.#labels);
    else gauge.set((this.#options.clock.monotonic() - sinceMs) / 1000, this.#labels);
  }
}
