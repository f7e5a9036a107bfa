import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { createSetting } from '../../../src/testkit/simulation/setting.ts';
import { World } from '../../../src/testkit/simulation/world.ts';
import { kindNamed } from '../../support/kind-harness.ts';

test('a cluster that begins with the state of another collects what its objects own there', async () => {
  const { subject, settled, ...setting } = await createSetting(kindNamed('DatabaseBackup'), kinds);
  const world = new World({ ...setting, seed: 1, faults: [], skewsMs: [], from: settled.state });
  const count = (): number => world.cluster.storage.list('cronjobs.batch').length;
  assert.equal(count(), 1);
  const key = { namespace: 'team-a', name: 'orders' };
  await world.byPerson(async (client, signal) => client.delete(subject.type, key, { signal }));
  await world.pass(10_000);
  assert.equal(count(), 0);
  world.close();
});
