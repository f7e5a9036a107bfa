import { done, GOOD_PURGES, noop, type Outcome, type Step, type StepContext } from '../../sdk/index.ts';
import { BACKUP_CONDITIONS } from './conditions.ts';
import type { Observed } from './observe-backups.ts';
import type { DatabaseBackup } from './schema.ts';

/** Tells what became of old backups the last time a Job looked at them: a purge that fails is no failed backup. */
export const observePurge: Step<DatabaseBackup, Observed, object> = {
  name: 'ObservePurge',
  condition: BACKUP_CONDITIONS.purgeSucceeded,
  apply: observe,
};

function observe({ needs, previous }: StepContext<DatabaseBackup, Observed>): Outcome<object> {
  const { lastPurge } = needs.folded;
  if (lastPurge === undefined) {
    return noop({}, { status: 'Unknown', reason: 'NeverRun', message: 'No Job has looked at old backups yet' });
  }
  const { reason, message } = lastPurge;
  if (GOOD_PURGES.includes(reason)) return noop({}, { status: 'True', reason, message });
  const word = { status: 'False', reason, message } as const;
  if (previous?.reason === reason) return noop({}, word);
  const notices = [{ type: 'Warning', reason: 'PurgeFailed', action: 'Purge', note: `${reason}: ${message}` } as const];
  return { ...done({}, { ...word, notices }), changed: false };
}
