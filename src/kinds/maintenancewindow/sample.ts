import type { Manifest } from '../../sdk/index.ts';

/** Weekends from Friday evening to Monday morning, written down and left closed: trying the samples out must not pause them. */
export const maintenanceWindowSample: Manifest = {
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name: 'weekend-freeze' },
  spec: {
    recurring: { schedule: '0 22 * * 5', durationMinutes: 3360, timeZone: 'Europe/Berlin' },
    effects: ['PauseReconcile'],
    reason: 'quarter end',
    suspend: true,
  },
};
