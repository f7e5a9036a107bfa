import { defineKind, type Kind, NAMESPACES } from '../../sdk/index.ts';
import { MAINTENANCE_WINDOWS } from '../tenancy/own-resources.ts';
import { ALL_WINDOWS, maintenance } from './maintenance.ts';
import { maintenanceWindowRules } from './rules.ts';
import { maintenanceWindowSample } from './sample.ts';
import { type MaintenanceWindowSpec, maintenanceWindowSpec } from './schema.ts';

/** MaintenanceWindow: when nothing is to be written, backed up or changed. Nothing acts on it: every controller and hook reads it. */
export const maintenanceWindowKind: Kind = defineKind<MaintenanceWindowSpec>({
  type: MAINTENANCE_WINDOWS,
  singular: 'maintenancewindow',
  shortNames: ['mw'],
  description:
    'Says when objects are left as they are: their reconciling paused, their backups suspended, changes of them refused.',
  spec: maintenanceWindowSpec,
  columns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.recurring.schedule' },
    { name: 'Duration', type: 'integer', jsonPath: '.spec.recurring.durationMinutes', description: 'Minutes.' },
    { name: 'TZ', type: 'string', jsonPath: '.spec.recurring.timeZone' },
    { name: 'Effects', type: 'string', jsonPath: '.spec.effects' },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Start', type: 'date', jsonPath: '.spec.once.start', priority: 1 },
    { name: 'End', type: 'date', jsonPath: '.spec.once.end', priority: 1 },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason', priority: 1 },
  ],
  rules: maintenanceWindowRules,
  maintenance,
  // Namespaces are looked up: their labels decide whom a window concerns.
  watches: [{ type: NAMESPACES, toKeys: () => [] }],
  indexes: [{ type: MAINTENANCE_WINDOWS, name: ALL_WINDOWS, values: () => [ALL_WINDOWS] }],
  touches: [{ type: NAMESPACES, verbs: ['get', 'list', 'watch'] }],
  samples: [maintenanceWindowSample],
});
