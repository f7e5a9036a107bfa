import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import type { Act, PlannedFault } from '../../../src/testkit/simulation/scenario.ts';
import { assertKept, linesWith, play, READY_MS, sampleOf, samplesOf, settingOf } from './play.ts';

async function deletionOf(kindName: string, atMs: number): Promise<Act> {
  const { subject } = await settingOf(kindName);
  const { namespace, name } = (await sampleOf(kindName)).metadata;
  return { type: 'delete', target: subject.type, key: namespace === undefined ? { name } : { namespace, name }, atMs };
}

test('B-29 an object that is being deleted when it is first seen gets no finalizer', async () => {
  const sample = await sampleOf('Environment');
  const held = { ...sample, metadata: { ...sample.metadata, finalizers: ['example.org/hold'] } };
  const given = (await samplesOf('Environment')).map((one) => (one === sample ? held : one));
  // What the service would hear of the object comes when it is already going; what it sends by then is refused.
  const late: PlannedFault = { type: 'lag', replica: 0, atMs: 3000, forMs: 5000, plural: 'environments', lagMs: 4000 };
  const report = await play('Environment', { given, faults: [late], acts: [await deletionOf('Environment', 5200)] });
  assertKept(report);
  assert.deepEqual(
    linesWith(report, /20[01] to r1\.\d+: (patch|update|delete) environments(\/status)? team-a\/dev/),
    [],
  );
});

test('B-31 a namespace goes although a backup in it wants its backups deleted', async () => {
  const sample = await sampleOf('DatabaseBackup');
  const spec = { ...(typeof sample['spec'] === 'object' ? sample['spec'] : {}), deletionPolicy: 'Delete' };
  const given = (await samplesOf('DatabaseBackup')).map((one) => (one === sample ? { ...one, spec } : one));
  const acts: Act[] = [{ type: 'delete', target: NAMESPACES, key: { name: 'team-a' }, atMs: READY_MS }];
  const report = await play('DatabaseBackup', { given, acts });
  assertKept(report);
  assert.equal(linesWith(report, / r1\.\d+ {2,}create jobs/).length, 0);
});

test('B-33 what is gone from Vault already counts as removed', async () => {
  const lost: Act = { type: 'meddleVault', pick: 0, how: 'remove', atMs: READY_MS };
  assertKept(await play('VaultPolicy', { acts: [lost, await deletionOf('VaultPolicy', READY_MS + 100)] }));
});

for (const how of ['denied', 'unreachable', 'sealed'] as const) {
  test(`B-33 a deletion waits while Vault is ${how}, and ends when it is not`, async () => {
    const fault: PlannedFault = { type: 'vault', how, atMs: READY_MS, forMs: 30_000 };
    const report = await play('VaultPolicy', {
      faults: [fault],
      acts: [await deletionOf('VaultPolicy', READY_MS + 500)],
    });
    assertKept(report);
    assert.ok(linesWith(report, 'Vault DELETE').length >= 1);
  });
}
