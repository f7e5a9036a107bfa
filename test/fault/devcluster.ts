import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/app/system-ports.ts';
import { type DevCluster, startDevCluster } from '../../src/devcluster/start.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger } from '../support/silent-ports.ts';

/** Starts an embedded API server on a port of its own; `end` closes it and removes its folder. */
export async function faultyCluster(): Promise<{ cluster: DevCluster; target: ContractTarget; end(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-fault-'));
  const options = { clock: systemClock, random: seededRandom(7), log: recordingLogger(), certificates: folder };
  const cluster = await startDevCluster(options);
  return {
    cluster,
    target: { url: cluster.url, ca: cluster.caPem, token: cluster.adminToken },
    end: async () => {
      await cluster.close();
      await rm(folder, { recursive: true });
    },
  };
}
