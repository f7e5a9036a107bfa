import type { Outcome } from './outcome.ts';
import type { Span } from './tracer.ts';

/** Says on a span what its work came to. Waiting is no failure. */
export function describeOutcome(span: Span, outcome: Outcome): void {
  const { type, reason } = outcome;
  span.set({ 'homeostat.outcome': type, 'homeostat.reason': reason });
  if (type === 'transient') span.fail(outcome.cause instanceof Error ? outcome.cause : outcome.message);
  if (type === 'terminal') span.fail(outcome.message);
}
