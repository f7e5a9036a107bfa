import { toTimestamp } from '../../src/base/clock.ts';
import type { Manifest } from '../../src/base/object.ts';

/** A MaintenanceWindow with this spec. */
export function maintenanceWindow(spec: object, name = 'freeze'): Manifest {
  return { apiVersion: 'homeostat.io/v1alpha1', kind: 'MaintenanceWindow', metadata: { name }, spec };
}

/** A window that is open once, between two moments. */
export function windowBetween(startMs: number, endMs: number, spec: object = {}, name = 'freeze'): Manifest {
  const once = { start: toTimestamp(startMs), end: toTimestamp(endMs) };
  return maintenanceWindow({ once, effects: ['PauseReconcile'], ...spec }, name);
}
