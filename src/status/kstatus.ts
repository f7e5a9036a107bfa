import type { Condition, KubeObject } from '../base/object.ts';
import { conditionOf, conditionsOf, observedGenerationOf } from './conditions.ts';

/** What generic tools make of an object. */
export type KstatusResult = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/**
 * The state that kubectl-like tools compute of an object with conditions: Flux, kpt, Argo CD, Helm wait on it. Order and rules are
 * those of cli-utils pkg/kstatus/status (generic.go, status.go); an object without a word about itself counts as Current.
 */
export function kstatus(object: KubeObject): KstatusResult {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const observed = observedGenerationOf(object);
  if (observed !== undefined && observed !== object.metadata.generation) return 'InProgress';
  const conditions = conditionsOf(object);
  if (conditionOf(conditions, 'Reconciling')?.status === 'True') return 'InProgress';
  if (conditionOf(conditions, 'Stalled')?.status === 'True') return 'Failed';
  const ready = conditionOf(conditions, 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}

/** Conditions that are True while an object is left as it is. */
export const HOLDS: readonly string[] = ['Suspended', 'Paused'];

/** Conditions that are True only while something is not normal. */
const NEGATIVE: readonly string[] = ['Reconciling', 'Stalled'];

/**
 * What a condition checker finds wrong with a status this project wrote; empty when nothing. The rules are those of
 * fluxcd/pkg runtime/conditions/check and of the API conventions. For tests and `dev`.
 */
export function conditionFaults(object: KubeObject): readonly string[] {
  const conditions = conditionsOf(object);
  const ready = conditionOf(conditions, 'Ready');
  const negative = NEGATIVE.flatMap((type) => conditionOf(conditions, type) ?? []);
  const faults: string[] = [];
  if (ready === undefined) faults.push('Ready is missing');
  for (const { type, status } of negative) if (status !== 'True') faults.push(`${type} is kept as ${status}`);
  if (negative.length > 1) faults.push('Reconciling and Stalled stand together');
  if (negative.length > 0 && ready?.status === 'True') faults.push(`Ready is True beside ${negative[0]?.type}`);
  if (new Set(conditions.map(({ type }) => type)).size !== conditions.length) faults.push('A type stands twice');
  faults.push(...conditions.flatMap(shapeFaults), ...generationFaults(object, conditions, ready));
  return faults;
}

function generationFaults(
  object: KubeObject,
  conditions: readonly Condition[],
  ready: Condition | undefined,
): readonly string[] {
  const observed = observedGenerationOf(object);
  const { generation } = object.metadata;
  const faults: string[] = [];
  if (observed === undefined && isHeldUnseen(conditions, ready)) return [];
  if (observed === undefined || generation === undefined) return ['observedGeneration is missing'];
  if (observed > generation) faults.push('observedGeneration is ahead of the object');
  for (const { type, observedGeneration } of conditions) {
    if (observedGeneration !== undefined && observedGeneration > observed)
      faults.push(`${type} is ahead of the status`);
  }
  if (ready?.status === 'True' && ready.observedGeneration !== observed)
    faults.push('Ready speaks of another generation');
  return faults;
}

/** Held since before anybody looked at it: no generation has been observed, and Ready says that nothing is known. */
function isHeldUnseen(conditions: readonly Condition[], ready: Condition | undefined): boolean {
  return ready?.status === 'Unknown' && HOLDS.some((type) => conditionOf(conditions, type)?.status === 'True');
}

function shapeFaults(condition: Condition): readonly string[] {
  const { type, reason, lastTransitionTime } = condition;
  const faults: string[] = [];
  if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)) faults.push(`${type} has the reason "${reason}"`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(lastTransitionTime)) faults.push(`${type} has no time in seconds`);
  return faults;
}
