import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { adminToken } from '../controlplane/servers.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { type Followed, follow } from './followed.ts';
import { networkFaults } from './network-faults.ts';

let plane: ControlPlane;

before(async () => {
  plane = await startControlPlane();
});

after(() => plane.close());

const target = (): ContractTarget => ({ url: plane.server, ca: plane.ca, token: adminToken });

networkFaults('control plane', target);

test('control plane: an API server killed twice while objects change costs no state and few requests', async (t) => {
  const followed = await follow(t, target(), { prefill: 50 });
  const stop = new AbortController();
  const changes = changeOnAndOn(followed, stop.signal);
  for (let kill = 0; kill < 2; kill++) {
    await delay(500);
    await plane.restartApiServer();
  }
  await delay(500);
  stop.abort();
  assert.ok((await changes) > 20, 'objects changed before and after');
  await followed.agrees({ timeoutMs: 90_000 });
  t.diagnostic(`${followed.client.watches} watches, ${followed.client.lists} lists`);
});

/** Creates, changes and deletes as fast as it is answered; what the server does not answer is left out. Gives how many were. */
async function changeOnAndOn(followed: Followed, signal: AbortSignal): Promise<number> {
  let done = 0;
  for (let round = 0; !signal.aborted; round++) {
    const name = `object-${round % 60}`;
    const change = round % 7 === 3 ? followed.remove(name) : followed.put(name, String(round));
    await change.then(
      () => void done++,
      () => delay(50),
    );
  }
  return done;
}
