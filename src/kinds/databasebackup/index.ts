import { defineKind, type Kind, NAMESPACES, PODS } from '../../sdk/index.ts';
import { DATABASE_BACKUPS } from '../tenancy/own-resources.ts';
import { databaseBackupColumns } from './columns.ts';
import { CONTROLLER } from './names.ts';
import { databaseBackupPipeline } from './pipeline.ts';
import { databaseBackupRules } from './rules.ts';
import { databaseBackupSamples } from './samples.ts';
import { type DatabaseBackupSpec, type DatabaseBackupStatus, databaseBackupSpec } from './schema.ts';
import { backupStatus } from './status-schema.ts';
import { databaseBackupIndexes, databaseBackupWatches } from './watches.ts';

/** DatabaseBackup: one CronJob that dumps a database, verifies the dump, stores it and deletes what is beyond retention. */
export const databaseBackupKind: Kind = defineKind<DatabaseBackupSpec, DatabaseBackupStatus>({
  type: DATABASE_BACKUPS,
  singular: CONTROLLER,
  shortNames: ['dbb'],
  description:
    'Backs a database up on a schedule, verifies every backup, keeps as many as asked for, and tells how that goes.',
  spec: databaseBackupSpec,
  status: backupStatus,
  columns: databaseBackupColumns,
  rules: databaseBackupRules,
  pipeline: databaseBackupPipeline,
  watches: databaseBackupWatches,
  indexes: databaseBackupIndexes,
  touches: [
    { type: PODS, verbs: ['list', 'watch'] },
    { type: NAMESPACES, verbs: ['get', 'list', 'watch'] },
  ],
  samples: databaseBackupSamples,
});
