/** Values of an instrument's labels. Never an object's name: the number of series must not grow with the objects. */
export type LabelValues = Readonly<Record<string, string>>;

/** What every instrument is made of. Asking twice for one name gives the same instrument. */
export interface InstrumentOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Metrics as a port. */
export interface Metrics {
  counter(options: InstrumentOptions): Counter;
  gauge(options: InstrumentOptions): Gauge;
  /** `buckets` are upper bounds in the instrument's unit, ascending. */
  histogram(options: InstrumentOptions & { readonly buckets: readonly number[] }): Histogram;
}

/** Counts up. Creating it with labels and adding 0 makes the series visible from the first scrape. */
export interface Counter {
  add(labels?: LabelValues, by?: number): void;
}

/** A value that goes up and down. */
export interface Gauge {
  set(value: number, labels?: LabelValues): void;
  remove(labels: LabelValues): void;
}

/** A distribution. */
export interface Histogram {
  observe(value: number, labels?: LabelValues): void;
}
