import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Manifest } from '../../src/base/object.ts';
import { eventually } from '../support/eventually.ts';
import { windowBetween } from '../support/windows.ts';
import { deploy } from './harness.ts';
import { API_VERSION, Scenario } from './scenario.ts';

const deployment = await deploy({ flags: { 'log-level': 'debug' } });
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const NAMESPACE = ['-n', 'team-a'];
const BACKUP = [...NAMESPACE, 'dbb', 'orders'];
const CRON_JOB = [...NAMESPACE, 'cronjob', 'backup-orders', '--ignore-not-found'];
const word = (type: string): string =>
  `{.status.conditions[?(@.type=="${type}")].status}/{.status.conditions[?(@.type=="${type}")].reason}`;

function databaseBackup(spec: object = {}, name = 'orders', namespace = 'team-a'): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'DatabaseBackup',
    metadata: { name, namespace },
    spec: {
      schedule: '30 4 * * *',
      retentionDays: 14,
      backoffLimit: 0,
      database: { engine: 'postgres', host: 'orders-db', name: 'orders', credentialsSecretRef: { name: 'orders-db' } },
      storage: {
        s3: { bucket: 'backups', endpoint: 'https://s3.example.org', credentialsSecretRef: { name: 'backup-s3' } },
      },
      ...spec,
    },
  };
}

const report = (purge: object = {}): string =>
  JSON.stringify({
    backup: { location: 's3://backups/team-a/orders/x.dump', sizeBytes: 4321, sha256: 'ab12', durationSeconds: 9 },
    purge: {
      reason: 'NothingExpired',
      message: 'ok',
      purged: 0,
      errors: 0,
      retentionDays: 14,
      kept: 3,
      oldest: '2026-01-01T00:00:00Z',
      ...purge,
    },
  });

/** Starts a Job of the CronJob, as a person does who does not want to wait. */
async function start(job: string): Promise<void> {
  await the.kubectl('create', 'job', job, ...NAMESPACE, '--from=cronjob/backup-orders');
}

/** Ends a Job in place of the kubelet, by the status of its Pod. */
async function end(job: string, exitCode: number, message: string, namespace = 'team-a'): Promise<void> {
  let pod = '';
  await eventually(`the Pod of ${job}`, async () => {
    pod = await the.value(
      '{.items[*].metadata.name}',
      '-n',
      namespace,
      'pods',
      '-l',
      `batch.kubernetes.io/job-name=${job}`,
    );
    return pod !== '';
  });
  const at = new Date().toISOString().replace(/\.\d+/, '');
  const terminated = {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    message,
    startedAt: at,
    finishedAt: at,
  };
  const store = {
    name: 'store',
    image: 'homeostat',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { terminated },
  };
  const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [store] };
  await the.kubectl(
    'patch',
    'pod',
    pod,
    '-n',
    namespace,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  );
}

test('the sample is accepted, gets a CronJob, and is Ready before it ever ran', async () => {
  await the.applySamples();
  await the.kubectl('wait', ...BACKUP, '--for=condition=Ready', '--timeout=30s');
  assert.equal(await the.value(word('BackupHealthy'), ...BACKUP), 'Unknown/NeverRun');
  assert.match(await the.value('{.status.nextScheduleTime}', ...BACKUP), /T04:30:00Z$/);
  assert.equal(
    await the.value('{.spec.schedule} {.spec.concurrencyPolicy} {.spec.suspend}', ...CRON_JOB),
    '30 4 * * * Forbid false',
  );
  assert.equal(await the.value('{.metadata.finalizers}', ...BACKUP), '', 'Retain needs no finalizer');
  assert.match(await the.kubectl('get', ...BACKUP), /30 4 \* \* \* +false .*Unknown +True +Ready/);
});

test('at rest nothing is sent: the API server fills nothing in that we would set', async () => {
  await the.apply(databaseBackup());
  await the.becomes('0', '{.spec.jobTemplate.spec.backoffLimit}', CRON_JOB);
  await the.becomes('True/Ready', word('Ready'), BACKUP);
  const woken = async (): Promise<number> => {
    const lines = (await deployment.logRecords()).map((line) => JSON.stringify(line));
    return lines.filter((line) => line.includes('CronJob changed')).length;
  };
  const [before, passes] = [await the.writes(), await woken()];
  await the.kubectl('annotate', ...BACKUP, 'example.org/look=again', '--overwrite');
  await the.kubectl('label', 'cronjob', 'backup-orders', ...NAMESPACE, 'example.org/seen=yes');
  await eventually('a pass over the changed CronJob', async () => (await woken()) > passes);
  assert.deepEqual((await the.writes()).slice(before.length), []);
});

test('B7: a deleted CronJob is back within 5 s, an edited one reverts', async () => {
  const uid = await the.value('{.metadata.uid}', ...CRON_JOB);
  await the.kubectl('delete', 'cronjob', 'backup-orders', ...NAMESPACE);
  await the.becomes('30 4 * * *', '{.spec.schedule}', CRON_JOB, 5000);
  assert.notEqual(await the.value('{.metadata.uid}', ...CRON_JOB), uid);
  const edit = {
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } } },
  };
  await the.kubectl('patch', 'cronjob', 'backup-orders', ...NAMESPACE, '--type=merge', '-p', JSON.stringify(edit));
  await the.becomes(
    '30 4 * * * Never',
    '{.spec.schedule} {.spec.jobTemplate.spec.template.spec.restartPolicy}',
    CRON_JOB,
    5000,
  );
});

test('a completed Job moves lastBackupTime and tells what it stored', async () => {
  await start('first');
  await the.becomes('["first"]', '{.status.active}', BACKUP);
  await end('first', 0, report());
  await the.becomes('True/BackupSucceeded', word('BackupHealthy'), BACKUP);
  assert.notEqual(await the.value('{.status.lastBackupTime}', ...BACKUP), '');
  assert.equal(
    await the.value('{.status.lastBackup.sizeBytes} {.status.kept} {.status.appliedRetentionDays}', ...BACKUP),
    '4321 3 14',
  );
  assert.equal(await the.value(word('PurgeSucceeded'), ...BACKUP), 'True/NothingExpired');
});

test('B3, B4: a failed Job keeps the last good backup and says why it failed', async () => {
  const before = await the.value('{.status.lastBackupTime} {.status.lastBackup.job} {.status.kept}', ...BACKUP);
  await start('second');
  await end('second', 1, 'pg_dump: error: connection to server failed');
  await the.becomes('False/BackupFailed', word('BackupHealthy'), BACKUP);
  const message = await the.value('{.status.conditions[?(@.type=="Ready")].message}', ...BACKUP);
  assert.match(
    message,
    /Job second failed, BackoffLimitExceeded: pg_dump: error: connection to server failed; the backups before it are kept/,
  );
  assert.equal(await the.value('{.status.lastBackupTime} {.status.lastBackup.job} {.status.kept}', ...BACKUP), before);
});

test('B6: a purge that fails is no failed backup', async () => {
  await start('third');
  await end('third', 0, report({ reason: 'DeleteDenied', message: 'AccessDenied', errors: 2 }));
  await the.becomes('True/BackupSucceeded', word('BackupHealthy'), BACKUP);
  await the.becomes('False/DeleteDenied', word('PurgeSucceeded'), BACKUP);
});

test('B11: a finished Job that is deleted at once counts all the same', async () => {
  await start('fourth');
  await end('fourth', 0, report());
  await the.becomes('True', '{.status.conditions[?(@.type=="Complete")].status}', [...NAMESPACE, 'job', 'fourth']);
  await the.kubectl('delete', 'job', 'fourth', ...NAMESPACE);
  await the.becomes('fourth', '{.status.history[0].job}', BACKUP);
});

test('a purge that somebody has thought better of is stopped before it deletes more', async () => {
  const purges = [...NAMESPACE, 'jobs', '-l', 'homeostat.io/backup-task=purge'];
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"retentionDays":6}}');
  const first = await eventually('the Job of the purge', async () => {
    const name = await the.value('{.items[*].metadata.name}', ...purges);
    return name === '' ? undefined : name;
  });
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"retentionDays":7}}');
  await the.isGone('job', first, ...NAMESPACE);
});

test('B14: a shorter retention starts a Job that purges alone', async () => {
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"retentionDays":7}}');
  let job = '';
  await eventually('the Job of the purge', async () => {
    job = await the.value('{.items[*].metadata.name}', ...NAMESPACE, 'jobs', '-l', 'homeostat.io/backup-task=purge');
    return job !== '';
  });
  const args = await the.value('{.spec.template.spec.containers[0].args}', ...NAMESPACE, 'job', job);
  assert.match(args, /"store","purge".*"--retention-days=7"/);
  const { purge } = JSON.parse(report({ reason: 'Purged', purged: 2, retentionDays: 7, kept: 1 })) as { purge: object };
  await end(job, 0, JSON.stringify({ purge }));
  await the.becomes('7', '{.status.appliedRetentionDays}', BACKUP);
  await the.becomes('True/Applied', word('RetentionApplied'), BACKUP);
});

test('a suspended backup, and one in a window with SuspendBackups, suspends the CronJob and says why', async () => {
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"suspend":true}}');
  await the.becomes('true', '{.spec.suspend}', CRON_JOB);
  await the.becomes('True/SpecSuspended', word('Suspended'), BACKUP);
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"suspend":false}}');
  await the.becomes('false', '{.spec.suspend}', CRON_JOB);
  await the.apply(
    windowBetween(Date.now() - 60_000, Date.now() + 12_000, { effects: ['SuspendBackups'] }, 'no-backups'),
  );
  await the.becomes('true', '{.spec.suspend}', CRON_JOB, 5000);
  const message = await the.value('{.status.conditions[?(@.type=="Suspended")].message}', ...BACKUP);
  assert.match(message, /^maintenance window "no-backups" is open until 2/);
  await the.becomes('false', '{.spec.suspend}', CRON_JOB, 20_000);
  await the.kubectl('delete', 'mw', 'no-backups');
});

test('the CronJob controller starts a Job when it is due', async () => {
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"schedule":"* * * * *"}}');
  await eventually(
    'a Job that is due',
    async () => (await the.value('{.status.active}', ...BACKUP)).includes('backup-orders-'),
    { timeoutMs: 90_000 },
  );
  assert.notEqual(await the.value('{.status.lastScheduleTime}', ...BACKUP), '');
  await the.kubectl('patch', ...BACKUP, '--type=merge', '-p', '{"spec":{"schedule":"30 4 * * *"}}');
});

test('what admission is for: bad schedules, two storages, another engine are refused at apply', async () => {
  const refuse = (spec: object): Promise<string> =>
    the.refused(['apply', '-f', '-'], JSON.stringify(databaseBackup(spec)));
  assert.match(await refuse({ schedule: '0 5 * * 7' }), /spec\.schedule: .*day of week that is not within 0 and 6/);
  assert.match(await refuse({ storage: {} }), /exactly one of s3 and persistentVolumeClaim must be set/);
  const database = { engine: 'mysql', host: 'orders-db', name: 'orders', credentialsSecretRef: { name: 'orders-db' } };
  assert.match(await refuse({ database }), /spec\.database\.engine: .*cannot be changed/);
  const { stderr } = await plane.kubectl(['apply', '--dry-run=server', '-f', '-'], {
    stdin: JSON.stringify(databaseBackup({ schedule: '0 2 * * *', timeZone: 'Europe/Berlin' })),
  });
  assert.match(stderr, /Warning: .*may be left out in spring and run twice in autumn \(Europe\/Berlin\)/);
});

test('Retain: deleting the object leaves nothing in the cluster, and no Job deletes anything', async () => {
  await the.kubectl('delete', ...BACKUP, '--timeout=20s');
  await the.isGone('cronjob', 'backup-orders', ...NAMESPACE);
  const cleanups = await the.value(
    '{.items[*].metadata.name}',
    ...NAMESPACE,
    'jobs',
    '-l',
    'homeostat.io/backup-task=cleanup',
  );
  assert.equal(cleanups, '');
});

test('Delete: the object stays until a Job has deleted the stored backups', async () => {
  await the.apply(databaseBackup({ deletionPolicy: 'Delete' }, 'gone'));
  const target = [...NAMESPACE, 'dbb', 'gone'];
  await the.becomes('["homeostat.io/databasebackup"]', '{.metadata.finalizers}', target);
  await the.becomes('backup-gone', '{.metadata.name}', [...NAMESPACE, 'cronjob', 'backup-gone', '--ignore-not-found']);
  await the.kubectl('delete', ...target, '--wait=false');
  await the.becomes('cleanup-gone', '{.metadata.name}', [...NAMESPACE, 'job', 'cleanup-gone', '--ignore-not-found']);
  // Whoever may edit Jobs may take its labels off; its end is to be seen all the same.
  await the.kubectl(
    'label',
    ...NAMESPACE,
    'job',
    'cleanup-gone',
    'homeostat.io/backup-uid-',
    'homeostat.io/backup-name-',
    'homeostat.io/backup-task-',
  );
  await the.becomes('cleanup', '{.metadata.labels.homeostat\\.io/backup-task}', [...NAMESPACE, 'job', 'cleanup-gone']);
  await end(
    'cleanup-gone',
    0,
    JSON.stringify({ purge: { reason: 'Purged', message: 'ok', purged: 2, errors: 0, retentionDays: 0 } }),
  );
  await the.isGone(...target);
});

test('B12, B-31: a namespace that goes takes a DatabaseBackup with the policy Delete along, its Secrets gone or not', async () => {
  await the.kubectl('create', 'namespace', 'passing');
  await the.apply(databaseBackup({ deletionPolicy: 'Delete' }, 'orders', 'passing'));
  await the.becomes('["homeostat.io/databasebackup"]', '{.metadata.finalizers}', ['-n', 'passing', 'dbb', 'orders']);
  await the.kubectl('delete', 'namespace', 'passing', '--timeout=60s');
  await the.isGone('namespace', 'passing');
});

test('the service never read a Secret', async () => {
  const reads = await plane.auditEntries({ user: deployment.user, resources: ['secrets'] });
  assert.deepEqual(reads, []);
});
