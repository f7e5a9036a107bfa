import type { Outcome } from '../base/outcome.ts';
import type { Pass } from './pass.ts';

/** Whatever a pass came to, the moment at which a window opens or closes is one to look again; a failure has a pace of its own. */
export function untilWindowChanges(outcome: Outcome, { maintenance, now }: Pick<Pass, 'maintenance' | 'now'>): Outcome {
  const { changesAtMs } = maintenance;
  if (changesAtMs === undefined || outcome.type === 'transient' || outcome.type === 'terminal') return outcome;
  const requeueAfterMs = Math.min(outcome.requeueAfterMs ?? Number.POSITIVE_INFINITY, Math.max(0, changesAtMs - now));
  const byEvent = outcome.type === 'waiting' && outcome.requeueAfterMs === undefined;
  return { ...outcome, requeueAfterMs, ...(byEvent ? { byEvent } : {}) };
}
