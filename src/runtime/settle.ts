import { unreachable } from '../base/errors.ts';
import type { Outcome } from '../base/outcome.ts';
import { between, type Random } from '../base/random.ts';
import type { ReconcileResult } from './controller-metrics.ts';
import type { WorkItem, WorkQueue } from './work-queue.ts';

/** A refusal whose outside cause is gone heals without an edit; rarely enough not to be a load. */
const TERMINAL_RETRY_MS = 600_000;

/** Turns what a reconcile came to into what the queue does with its key next. The key keeps its priority. */
export function settle(queue: WorkQueue, item: WorkItem, outcome: Outcome, random: Random): ReconcileResult {
  const { key, priority } = item;
  switch (outcome.type) {
    case 'done':
    case 'noop':
    case 'waiting':
      queue.forget(key);
      if (outcome.requeueAfterMs === undefined) return 'success';
      queue.addAfter(key, outcome.requeueAfterMs, { priority, cause: 'requeue' });
      return 'requeue_after';
    case 'transient':
      queue.retry(key, {
        priority,
        cause: 'retry',
        firstAtOnce: outcome.silent === true,
        ...(outcome.retryAfterMs === undefined ? {} : { atLeastMs: outcome.retryAfterMs }),
      });
      return 'error';
    case 'terminal':
      queue.addAfter(key, TERMINAL_RETRY_MS * between(random, 0.9, 1.1), { priority, cause: 'retry' });
      return 'error';
    default:
      return unreachable(outcome);
  }
}

/**
 * The outcome as a queue can keep it: a delay without end is none.
 *
 * @throws RangeError where a delay is no number of milliseconds at all, which only a bug of a step asks for
 */
export function withFiniteDelay(outcome: Outcome): Outcome {
  if (outcome.type === 'terminal') return outcome;
  const delayMs = outcome.type === 'transient' ? outcome.retryAfterMs : outcome.requeueAfterMs;
  if (delayMs === undefined || Number.isFinite(delayMs)) return outcome;
  if (delayMs !== Number.POSITIVE_INFINITY) throw new RangeError(`A step asks for a delay of ${delayMs} ms`);
  if (outcome.type === 'transient') {
    const { retryAfterMs: _endless, ...rest } = outcome;
    return rest;
  }
  const { requeueAfterMs: _endless, ...rest } = outcome;
  return rest;
}
