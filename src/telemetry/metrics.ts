import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { HomeostatError } from '../base/errors.ts';
import type { InstrumentOptions, Metrics } from '../base/metrics.ts';

/** Metrics that can be scraped. */
export interface MetricsRegistry {
  readonly metrics: Metrics;
  readonly contentType: string;
  /** The whole exposition text. */
  render(): Promise<string>;
}

/** A registry of its own, so that two services in one process (tests, simulation) never share a number. */
export function createMetrics(options: { readonly processMetrics: boolean }): MetricsRegistry {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  const instruments = new Map<string, Counter | Gauge | Histogram>();

  const obtain = <T extends Counter | Gauge | Histogram>(
    options: InstrumentOptions,
    kind: abstract new (...parameters: never[]) => T,
    create: () => T,
  ): T => {
    const known = instruments.get(options.name);
    if (known instanceof kind) return known;
    if (known !== undefined) {
      throw new HomeostatError('HOMEOSTAT_METRIC_CLASH', `Metric ${options.name} is registered with another type`);
    }
    const created = create();
    instruments.set(options.name, created);
    return created;
  };
  const common = ({ name, help, labels = [] }: InstrumentOptions) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });

  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    metrics: {
      counter: (options) => {
        const counter = obtain(options, Counter, () => new Counter(common(options)));
        return { add: (labels = {}, by = 1) => counter.inc(labels, by) };
      },
      gauge: (options) => {
        const gauge = obtain(options, Gauge, () => new Gauge(common(options)));
        return {
          set: (value, labels = {}) => gauge.set(labels, value),
          remove: (labels) => gauge.remove(labels),
        };
      },
      histogram: (options) => {
        const create = () => new Histogram({ ...common(options), buckets: [...options.buckets] });
        const histogram = obtain(options, Histogram, create);
        return { observe: (value, labels = {}) => histogram.observe(labels, value) };
      },
    },
  };
}
