import { eventually } from '../support/eventually.ts';
import type { Command } from './subjects.ts';

/** Delays of a service's event loop over a stretch of time. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Measures delays between two moments; a subject without metrics has none. */
export interface LoopDelayMeter {
  /** Delays since the subject was ready, or since the last call. */
  read(): Promise<LoopDelay | undefined>;
}

/**
 * Begins when the subject is ready: its start is a long turn by nature, and nobody waits for it. Each reading of the metrics begins
 * a new stretch, as prom-client resets its histogram with each.
 */
export async function meterLoopDelay({ operations }: Command): Promise<LoopDelayMeter> {
  if (operations === undefined) return { read: () => Promise.resolve(undefined) };
  const { healthPort, metricsPort } = operations;
  await eventually('the service to be ready', async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok, {
    timeoutMs: 60_000,
  });
  const read = async (): Promise<LoopDelay> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return { p99Ms: milliseconds(text, 'p99'), maxMs: milliseconds(text, 'max') };
  };
  await read();
  return { read };
}

function milliseconds(text: string, which: string): number {
  const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${which}_seconds (.*)$`, 'm').exec(text) ?? [];
  return Math.round(Number(seconds) * 10_000) / 10;
}
