import type { Condition } from '../../src/base/object.ts';

/** The counter-example: one function does ten things, and one condition tells that it failed. */
export async function naiveReconcile(actions: readonly (() => Promise<void>)[]): Promise<readonly Condition[]> {
  const ready = { type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
  try {
    for (const action of actions) await action();
    return [{ ...ready, status: 'True', reason: 'Ready', message: '' }];
  } catch (error) {
    return [{ ...ready, status: 'False', reason: 'ReconcileFailed', message: String(error) }];
  }
}
