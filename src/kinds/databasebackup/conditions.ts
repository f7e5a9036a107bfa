/** Condition types of the steps, in their order. */
export const BACKUP_CONDITIONS = {
  finalizerEnsured: 'FinalizerEnsured',
  cronJobReady: 'CronJobReady',
  backupHealthy: 'BackupHealthy',
  purgeSucceeded: 'PurgeSucceeded',
  retentionApplied: 'RetentionApplied',
  finalizerDeleted: 'FinalizerDeleted',
} as const;
