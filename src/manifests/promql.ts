import { NAMES } from './settings.ts';

/**
 * A selector of our own series: the job is the name of the metrics' Service, for names such as `workqueue_depth` are not ours alone.
 * `matchers` are written as in PromQL.
 */
export function own(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${[`job="${NAMES.metricsService}"`, ...matchers].join(',')}}`;
}

/** The share of one rate in another, by the labels, above a bound. Nothing where the whole is nothing. */
export function shareAbove(
  bound: number,
  {
    part,
    whole,
    by,
    window,
  }: { readonly part: string; readonly whole: string; readonly by: string; readonly window: string },
): string {
  const sum = (series: string): string => `sum by (${by}) (rate(${series}[${window}]))`;
  return `${sum(part)} / ${sum(whole)} > ${bound}`;
}

/** The buckets of a histogram of ours. */
export function bucketsOf(histogram: string): string {
  return own(`${histogram}_bucket`);
}

/** How often a histogram of ours was observed. */
export function countOf(histogram: string): string {
  return own(`${histogram}_count`);
}
