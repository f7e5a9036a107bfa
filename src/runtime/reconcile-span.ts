import type { Outcome } from '../base/outcome.ts';
import { describeOutcome } from '../base/outcome-span.ts';
import type { Span, SpanStart } from '../base/tracer.ts';
import type { ReconcileRequest } from './reconcile.ts';

/** The span of one reconcile: `reconcile environment`. */
export function reconcileSpan(
  controller: string,
  { key, causes, failures, reconcileId }: Pick<ReconcileRequest, 'key' | 'causes' | 'failures' | 'reconcileId'>,
): SpanStart {
  return {
    name: `reconcile ${controller}`,
    kind: 'internal',
    attributes: () => ({
      'homeostat.controller': controller,
      'homeostat.object.name': key.name,
      'homeostat.reconcile.id': reconcileId,
      'homeostat.reconcile.causes': causes,
      'homeostat.reconcile.failures': failures,
      'k8s.namespace.name': key.namespace,
    }),
  };
}

/** Says what a reconcile came to; `undefined` where it was cut off. */
export function describeReconcile(span: Span, outcome: Outcome | undefined): void {
  if (outcome === undefined) span.set({ 'homeostat.outcome': 'stopped' });
  else describeOutcome(span, outcome);
}
