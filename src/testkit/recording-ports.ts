import type { ObjectEvent } from '../base/events.ts';
import type { LogFields, Logger } from '../base/logger.ts';
import type { LabelValues, Metrics } from '../base/metrics.ts';

/** One recorded log line. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export function recordingLogger(lines: LogLine[] = [], bound: LogFields = {}): Logger & { readonly lines: LogLine[] } {
  const write =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields: { ...bound, ...fields } });
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => recordingLogger(lines, { ...bound, ...fields }),
  };
}

/** Metrics that can be read back: `value('name', {label: 'x'})` gives a counter's sum, a gauge's value, a histogram's count. */
export function recordingMetrics(): Metrics & { value(name: string, labels?: LabelValues): number } {
  const values = new Map<string, number>();
  const seriesOf = (name: string, labels: LabelValues = {}): string =>
    `${name}${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b)))}`;
  const add = (name: string, labels: LabelValues | undefined, by: number): void => {
    const series = seriesOf(name, labels);
    values.set(series, (values.get(series) ?? 0) + by);
  };
  return {
    counter: ({ name }) => ({ add: (labels, by = 1) => add(name, labels, by) }),
    gauge: ({ name }) => ({
      set: (value, labels) => void values.set(seriesOf(name, labels), value),
      remove: (labels) => void values.delete(seriesOf(name, labels)),
    }),
    histogram: ({ name }) => ({ observe: (_value, labels) => add(name, labels, 1) }),
    value: (name, labels) => values.get(seriesOf(name, labels)) ?? 0,
  };
}

/** Events that can be read back. */
export function recordingEvents(): { readonly events: ObjectEvent[]; record(event: ObjectEvent): void } {
  const events: ObjectEvent[] = [];
  return { events, record: (event) => void events.push(event) };
}
