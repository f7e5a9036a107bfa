import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from '../../../src/base/field-path.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { KindHarness } from '../../support/kind-harness.ts';
import { BACKUPS, databaseBackup, SPEC } from './databasebackup-scene.ts';

const S3 = SPEC.storage.s3;
const { database: DATABASE } = SPEC;

function judged(after: Manifest, before?: Manifest): readonly string[] {
  const change =
    before === undefined ? ({ type: 'create', after } as const) : ({ type: 'update', before, after } as const);
  return new KindHarness().judge(BACKUPS, change);
}

/** One finding a row. */
const TOLD: readonly (readonly [what: string, spec: object, says: RegExp])[] = [
  ['no storage', { storage: {} }, /^spec\.storage: .*exactly one of s3 and persistentVolumeClaim/],
  ['two storages', { storage: { s3: S3, persistentVolumeClaim: { claimName: 'c' } } }, /exactly one of/],
  ['B8: a zone inside the schedule', { schedule: 'TZ=CET 0 5 * * *' }, /schedule: .*set timeZone instead/],
  ['Sunday as 7', { schedule: '0 5 * * 7' }, /day of week that is not within 0 and 6/],
  ['a zone that does not exist', { timeZone: 'Mars/Base' }, /timeZone: .*IANA/],
  [
    'an endpoint that is none',
    { storage: { s3: { ...S3, endpoint: 's3.example.org' } } },
    /must be an address such as/,
  ],
  [
    'an endpoint without TLS',
    { storage: { s3: { ...S3, endpoint: 'http://s3' } } },
    /must begin with https:\/\/, unless insecure/,
  ],
  [
    'an endpoint with a password',
    { storage: { s3: { ...S3, endpoint: 'https://me:hunter2@s3' } } },
    /^spec\.storage\.s3\.endpoint: Forbidden: must not hold credentials/,
  ],
  ...['minio:hunter2@minio:9000', 's3://KEY:hunter2@s3.example.org', 'https//minio:hunter2@minio'].map(
    (endpoint) =>
      [
        `an endpoint that is none and holds a password, ${endpoint}`,
        { storage: { s3: { ...S3, endpoint } } },
        /^spec\.storage\.s3\.endpoint: Invalid value: must be an address such as/,
      ] as const,
  ),
  [
    'a volume that a bucket is to purge',
    { retentionMode: 'Bucket', storage: { persistentVolumeClaim: { claimName: 'c' } } },
    /^spec\.retentionMode: .*a volume has no lifecycle rules/,
  ],
  ['an unverifiable server', { database: { ...DATABASE, sslMode: 'verify-full' } }, /sslMode: .*needs caSecretRef/],
  [
    'a label of ours',
    { podLabels: { 'homeostat.io/backup-uid': 'x' } },
    /labels of homeostat\.io are set by the controller/,
  ],
  [
    "a label that is the Job controller's",
    { podLabels: { 'batch.kubernetes.io/job-name': 'x' } },
    /is a label that Kubernetes sets on the Pods of a Job/,
  ],
  ['a label that is none', { podLabels: { a: '-' } }, /^spec\.podLabels/],
  [
    'B9: 2:00 in a zone with summer time',
    { schedule: '0 2 * * *', timeZone: 'Europe/Berlin' },
    /^warning: .*may be left out in spring/,
  ],
  ['a step beyond the hour', { schedule: '*/61 * * * *', activeDeadlineSeconds: 60 }, /^warning: .*means once an hour/],
  ['a deadline beyond the interval', { schedule: '@hourly' }, /^warning: spec\.activeDeadlineSeconds/],
  [
    'a retention of fewer backups than are to stay',
    { retentionDays: 2 },
    /^warning: spec\.retentionDays: .*minimumToKeep/,
  ],
  [
    'a bucket that deletes by itself',
    { retentionMode: 'Bucket' },
    /^warning: spec\.retentionMode: .*do not know minimumToKeep/,
  ],
];

for (const [what, spec, says] of TOLD) {
  test(`${what} is told at admission`, () => {
    const found = judged(databaseBackup(spec));
    assert.equal(found.filter((text) => says.test(text)).length, 1, found.join('\n'));
    assert.doesNotMatch(found.join('\n'), /hunter2/);
  });
}

test('B9: what is due before 4:00 in a zone without summer time, or later in one with it, passes in silence', () => {
  assert.deepEqual(judged(databaseBackup({ schedule: '0 2 * * *' })), []);
  assert.deepEqual(judged(databaseBackup({ schedule: '0 5 * * *', timeZone: 'Europe/Berlin' })), []);
});

test('names that leave no room for those of Jobs are refused', () => {
  const named = (name: string): readonly string[] => judged(databaseBackup({}, { name }));
  assert.deepEqual(named('a'.repeat(41)), []);
  assert.match(named('a'.repeat(42))[0] ?? '', /must have at most 41 characters/);
});

test('engine and type of storage cannot be changed; another place is a warning', () => {
  const before = databaseBackup();
  const mysql = databaseBackup({ database: { ...DATABASE, engine: 'mysql' } });
  const volume = databaseBackup({ storage: { persistentVolumeClaim: { claimName: 'c' } } });
  const elsewhere = databaseBackup({ storage: { s3: { ...S3, bucket: 'other' } } });
  assert.match(judged(mysql, before)[0] ?? '', /^spec\.database\.engine: .*cannot be changed/);
  assert.match(judged(volume, before).join('\n'), /the type of storage cannot be changed/);
  assert.match(judged(elsewhere, before).join('\n'), /^warning: spec\.storage: .*stay where they were/);
});

test('the schema bounds what a Job can be', () => {
  const refused = (spec: object): readonly string[] =>
    BACKUPS.schema.violations(databaseBackup(spec)).map(({ path }) => formatPath(path));
  assert.deepEqual(refused({ database: { ...DATABASE, engine: 'oracle' } }), ['spec.database.engine']);
  assert.deepEqual(refused({ database: { ...DATABASE, host: 'db; rm -rf /' } }), ['spec.database.host']);
  assert.deepEqual(refused({ startingDeadlineSeconds: 59 }), ['spec.startingDeadlineSeconds']);
  assert.deepEqual(refused({ retentionDays: 0, minimumToKeep: 0 }).toSorted(), [
    'spec.minimumToKeep',
    'spec.retentionDays',
  ]);
});
