import type { InstrumentOptions, LabelValues, Metrics } from './metrics.ts';

/** Metrics whose every instrument bears these labels besides its own: what is the same for all that one part measures. */
export function labelledMetrics(metrics: Metrics, constant: LabelValues): Metrics {
  const all = <Options extends InstrumentOptions>(options: Options): Options => ({
    ...options,
    labels: [...(options.labels ?? []), ...Object.keys(constant)],
  });
  return {
    counter: (options) => {
      const counter = metrics.counter(all(options));
      return { add: (labels, by) => counter.add({ ...labels, ...constant }, by) };
    },
    gauge: (options) => {
      const gauge = metrics.gauge(all(options));
      return {
        set: (value, labels) => gauge.set(value, { ...labels, ...constant }),
        remove: (labels) => gauge.remove({ ...labels, ...constant }),
      };
    },
    histogram: (options) => {
      const histogram = metrics.histogram(all(options));
      return { observe: (value, labels) => histogram.observe(value, { ...labels, ...constant }) };
    },
  };
}
