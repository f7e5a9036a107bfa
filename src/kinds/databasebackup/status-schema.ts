import { integer, list, object, oneOf, optional, PURGE_REASONS, string } from '../../sdk/index.ts';

/** Jobs the status remembers. */
export const REMEMBERED_JOBS = 10;

const moment = (description: string) => optional(string({ description, maxLength: 64, format: 'date-time' }));

const number = (description: string) =>
  integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' });

const name = (description: string) => string({ description, maxLength: 253 });

const lastBackup = object(
  {
    job: name('The Job that took it.'),
    location: optional(string({ description: 'Where its data is.', maxLength: 1024 })),
    sizeBytes: optional(number('Size of the data.')),
    sha256: optional(string({ description: 'Digest of the data, in hex.', maxLength: 64 })),
    durationSeconds: optional(number('From the beginning of the dump to the end.')),
  },
  { description: 'The last backup that was taken and verified.' },
);

const lastPurge = object(
  {
    job: name('The Job that purged.'),
    time: moment('When it ended.'),
    reason: oneOf(PURGE_REASONS, { description: 'What it came to.' }),
    message: string({ description: 'The same for people.', maxLength: 1024 }),
    purged: number('Backups that were deleted.'),
    errors: number('Deletions that failed.'),
    retentionDays: number('The retention that was applied.'),
  },
  { description: 'What became of old backups the last time that was looked at.' },
);

const remembered = object(
  {
    job: name('Name of the Job.'),
    outcome: oneOf(['Succeeded', 'Failed'], { description: 'What it came to.' }),
    time: string({ description: 'When it ended.', maxLength: 64, format: 'date-time' }),
    reason: optional(string({ description: 'Why it failed, one word.', maxLength: 63 })),
  },
  { description: 'One finished Job.' },
);

/** Members of the status that the steps give. */
export const backupStatus = object(
  {
    lastBackupTime: moment('When the last successful backup ended.'),
    lastScheduleTime: moment('When a backup was last due and started.'),
    lastFailureTime: moment('When a backup last failed.'),
    nextScheduleTime: moment('When the next backup is due; absent while suspended.'),
    lastBackup: optional(lastBackup),
    lastPurge: optional(lastPurge),
    kept: optional(number('Backups in the store, as the last Job counted them.')),
    oldestKept: moment('When the oldest of them was taken.'),
    appliedRetentionDays: optional(number('The retention that the stored backups follow.')),
    active: optional(list(name('Name of the Job.'), { description: 'Jobs that run.', maxItems: 20 })),
    history: optional(
      list(remembered, { description: 'The last Jobs of backups, newest first.', maxItems: REMEMBERED_JOBS }),
    ),
  },
  { description: 'What the controller last observed.' },
);
