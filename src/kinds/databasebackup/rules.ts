import {
  type CelTwin,
  type FieldPath,
  type Finding,
  forbidden,
  readSchedule,
  type Rule,
  stateRule,
  transitionRule,
} from '../../sdk/index.ts';
import { scheduleFindings } from '../tenancy/schedule-findings.ts';
import { LONGEST_NAME } from './names.ts';
import { containerFindings, placementFindings, podLabelFindings } from './pod-findings.ts';
import { resourceFindings } from './resource-findings.ts';
import type { DatabaseBackup } from './schema.ts';
import { scheduleWarnings, storageWarnings } from './warnings.ts';

const ONE_STORAGE = 'exactly one of s3 and persistentVolumeClaim must be set';
const IMMUTABLE = 'cannot be changed';
const BUCKET_ONLY = 'Bucket needs storage.s3: a volume has no lifecycle rules';
const NAME_TOO_LONG = `must have at most ${LONGEST_NAME} characters: names of Jobs are made of it`;
const CA_MISSING = 'verify-full needs caSecretRef';

const storageTwin: CelTwin = {
  at: ['spec', 'storage'],
  rule: 'has(self.s3) != has(self.persistentVolumeClaim)',
  message: ONE_STORAGE,
};
const engineTwin: CelTwin = { at: ['spec', 'database', 'engine'], rule: 'self == oldSelf', message: IMMUTABLE };
const storageTypeTwin: CelTwin = {
  at: ['spec', 'storage'],
  rule: 'has(self.s3) == has(oldSelf.s3)',
  message: 'the type of storage cannot be changed',
};
const bucketTwin: CelTwin = {
  at: ['spec'],
  rule: "self.retentionMode != 'Bucket' || has(self.storage.s3)",
  message: BUCKET_ONLY,
  fieldPath: '.retentionMode',
};
const nameTwin: CelTwin = { at: [], rule: `self.metadata.name.size() <= ${LONGEST_NAME}`, message: NAME_TOO_LONG };
const caTwin: CelTwin = {
  at: ['spec', 'database'],
  rule: "self.sslMode != 'verify-full' || has(self.caSecretRef)",
  message: CA_MISSING,
  fieldPath: '.sslMode',
};

/** All rules of the kind. */
export const databaseBackupRules: readonly Rule<DatabaseBackup>[] = [
  stateRule({ id: 'databasebackup.storage', tier: 'C', cel: storageTwin }, function* ({ spec }) {
    const { s3, persistentVolumeClaim } = spec.storage;
    if ((s3 === undefined) === (persistentVolumeClaim === undefined)) yield finding(['spec', 'storage'], ONE_STORAGE);
  }),
  transitionRule({ id: 'databasebackup.engine', tier: 'C', cel: engineTwin }, function* (before, after) {
    if (before.spec.database.engine !== after.spec.database.engine)
      yield finding(['spec', 'database', 'engine'], IMMUTABLE);
  }),
  transitionRule({ id: 'databasebackup.storage-type', tier: 'C', cel: storageTypeTwin }, function* (before, after) {
    const same = (before.spec.storage.s3 === undefined) === (after.spec.storage.s3 === undefined);
    if (!same) yield finding(['spec', 'storage'], storageTypeTwin.message);
  }),
  stateRule({ id: 'databasebackup.retention-mode', tier: 'C', cel: bucketTwin }, function* ({ spec }) {
    const impossible = spec.retentionMode === 'Bucket' && spec.storage.s3 === undefined;
    if (impossible) yield finding(['spec', 'retentionMode'], BUCKET_ONLY);
  }),
  stateRule({ id: 'databasebackup.name', tier: 'C', cel: nameTwin }, function* ({ metadata }) {
    if (metadata.name.length > LONGEST_NAME) yield finding([], NAME_TOO_LONG);
  }),
  stateRule({ id: 'databasebackup.authorities', tier: 'C', cel: caTwin }, function* ({ spec }) {
    const { sslMode, caSecretRef } = spec.database;
    const blind = sslMode === 'verify-full' && caSecretRef === undefined;
    if (blind) yield finding(['spec', 'database', 'sslMode'], CA_MISSING);
  }),
  stateRule(
    { id: 'databasebackup.schedule', tier: 'W', says: 'spec.schedule and spec.timeZone can be read' },
    unreadableFindings,
  ),
  stateRule(
    {
      id: 'databasebackup.endpoint',
      tier: 'W',
      says: 'spec.storage.s3.endpoint is an address without credentials, with TLS unless insecure is set',
    },
    endpointFindings,
  ),
  stateRule(
    { id: 'databasebackup.pod-labels', tier: 'W', says: 'spec.podLabels are labels, and none of them is ours' },
    podLabelFindings,
  ),
  stateRule(
    { id: 'databasebackup.placement', tier: 'W', says: 'spec.nodeSelector and spec.tolerations are those of a Pod' },
    placementFindings,
  ),
  stateRule(
    {
      id: 'databasebackup.resources',
      tier: 'W',
      says: 'spec.resources names resources of containers in amounts that can be granted, requests within limits',
    },
    ({ spec }) => resourceFindings(['spec', 'resources'], spec.resources ?? {}),
  ),
  stateRule(
    {
      id: 'databasebackup.containers',
      tier: 'W',
      says: 'image, sub path and keys of credentials are ones that the API server accepts in a Pod',
    },
    containerFindings,
  ),
  stateRule(
    {
      id: 'databasebackup.schedule-fits',
      tier: 'W',
      says: 'schedule, deadline, retention and changes of offset fit each other (warnings)',
    },
    scheduleWarnings,
  ),
  transitionRule(
    {
      id: 'databasebackup.storage-moves',
      tier: 'W',
      says: 'spec.storage stays, or the backups of before stay where they were (a warning)',
    },
    storageWarnings,
  ),
];

function finding(path: FieldPath, detail: string): Finding {
  return { type: 'FieldValueInvalid', path, detail };
}

function* unreadableFindings({ spec }: DatabaseBackup): Generator<Finding> {
  yield* scheduleFindings(['spec', 'schedule'], spec.schedule, () => readSchedule({ ...spec, timeZone: 'Etc/UTC' }));
  yield* scheduleFindings(['spec', 'timeZone'], spec.timeZone, () => readSchedule({ ...spec, schedule: '@daily' }));
}

function* endpointFindings({ spec }: DatabaseBackup): Generator<Finding> {
  const { s3 } = spec.storage;
  if (s3?.endpoint === undefined) return;
  const path: FieldPath = ['spec', 'storage', 's3', 'endpoint'];
  const url = URL.parse(s3.endpoint);
  // Never with its value: what stands before the @ may be a password, also in what is no address at all.
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    yield finding(path, 'must be an address such as https://s3.example.org');
  else if (url.username !== '' || url.password !== '')
    yield forbidden(path, 'must not hold credentials; use credentialsSecretRef');
  else if (url.protocol === 'http:' && !s3.insecure)
    yield finding(path, 'must begin with https://, unless insecure is set');
}
