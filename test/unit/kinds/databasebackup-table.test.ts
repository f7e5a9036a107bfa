import assert from 'node:assert/strict';
import { kinds } from '../../../src/kinds/index.ts';
import { table } from '../../../src/testkit/table.ts';
import { kindNamed } from '../../support/kind-harness.ts';

const kind = kindNamed('DatabaseBackup');
const sample = kind.samples.find((object) => object.kind === 'DatabaseBackup');
const namespace = kind.samples.find((object) => object.kind === 'Namespace');
assert.ok(sample !== undefined && namespace !== undefined);

table(
  kind,
  {
    'the sample gets its CronJob': {
      given: { object: sample, cluster: [namespace] },
      expect: { ready: 'True/Ready', children: ['CronJob team-a/backup-orders'] },
    },
  },
  { others: kinds },
);
