import type { PrinterColumn } from '../../sdk/index.ts';

/** What `kubectl get databasebackups` shows. */
export const databaseBackupColumns: readonly PrinterColumn[] = [
  { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
  { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
  {
    name: 'Last Backup',
    type: 'date',
    jsonPath: '.status.lastBackupTime',
    description: 'Age of the last successful backup.',
  },
  { name: 'Healthy', type: 'string', jsonPath: conditionMember('BackupHealthy', 'status') },
  { name: 'Ready', type: 'string', jsonPath: conditionMember('Ready', 'status') },
  { name: 'Reason', type: 'string', jsonPath: conditionMember('Ready', 'reason') },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'TZ', type: 'string', jsonPath: '.spec.timeZone', priority: 1 },
  { name: 'Kept', type: 'integer', jsonPath: '.status.kept', priority: 1 },
  { name: 'Next', type: 'string', jsonPath: '.status.nextScheduleTime', priority: 1 },
];

function conditionMember(type: string, member: 'status' | 'reason'): string {
  return `.status.conditions[?(@.type=="${type}")].${member}`;
}
