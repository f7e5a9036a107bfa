import type { Unstructured } from '../../base/object.ts';
import type { ClusterState } from '../../devcluster/cluster-state.ts';
import type { Kind } from '../../sdk/kind.ts';
import { conditionOf, conditionsOf, observedGenerationOf } from '../../status/conditions.ts';
import { SUSPEND_ANNOTATION } from '../../steps/reconciler.ts';
import { nameOf } from '../comparable-content.ts';
import { isOwn } from './ownership-marks.ts';

/** What objects say of themselves at rest that cannot be so, whatever a fresh service would say. */
export function restFaults({ storage }: ClusterState, kinds: readonly Kind[]): readonly string[] {
  const reconciled = kinds.filter(({ pipeline }) => pipeline !== undefined);
  const own = [...storage.tables].flatMap(([, table]) => [...table.values()].filter((one) => isOwn(one, reconciled)));
  return own.flatMap((object) => faultsOf(object).map((fault) => `${nameOf(object)} ${fault}`));
}

function faultsOf(object: Unstructured): readonly string[] {
  const { annotations = {}, generation, deletionTimestamp } = object.metadata;
  const conditions = conditionsOf(object);
  if (deletionTimestamp !== undefined) return [];
  const faults: string[] = [];
  const isSuspended = conditionOf(conditions, 'Suspended')?.status === 'True';
  if (annotations[SUSPEND_ANNOTATION] === 'true' && !isSuspended) faults.push('is suspended and does not say so');
  const isReady = conditionOf(conditions, 'Ready')?.status === 'True' && !isSuspended;
  const isOpen = conditions.some(({ type, status }) => type === 'Stalled' && status === 'True');
  if (isReady && isOpen) faults.push('is Ready and Stalled');
  const isPaused = conditionOf(conditions, 'Paused')?.status === 'True';
  if (isReady && !isPaused && observedGenerationOf(object) !== generation) {
    faults.push('is Ready for another generation');
  }
  return faults;
}
