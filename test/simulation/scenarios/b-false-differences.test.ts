import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertKept, linesWith, play, sampleOf, samplesOf } from './play.ts';

/** All promises hold at every run; those about silence at rest and after a restart are the point here. */
test('B-19 empty values that the server drops are written once', async () => {
  const sample = await sampleOf('Environment');
  const spec = {
    ...(typeof sample['spec'] === 'object' ? sample['spec'] : {}),
    networkPolicies: [{ name: 'open', spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{}], egress: [] } }],
    resourceQuotas: [{ name: 'none', hard: { pods: '0' } }],
  };
  const given = (await samplesOf('Environment')).map((one) => (one === sample ? { ...one, spec } : one));
  const report = await play('Environment', { given });
  assertKept(report);
  assert.equal(linesWith(report, / r1\.\d+ {2,}patch networkpolicies team-a-dev\/open/).length, 1);
});

test('B-21 values that the server fills in are no difference', async () => {
  const report = await play('DatabaseBackup', {});
  assertKept(report);
  assert.equal(linesWith(report, / r1\.\d+ {2,}patch cronjobs team-a\/backup-orders/).length, 1);
});

test('B-25 the status that a pass writes wakes nobody', async () => {
  const report = await play('Environment', {});
  assertKept(report);
  const own = linesWith(report, / r1\.\d+ {2,}(patch|create|update|delete) /).filter(
    (line) => !/events|leases|clusterconfigs|reviews/.test(line),
  );
  assert.ok(own.length > 0 && own.length <= 12, own.join('\n'));
});
