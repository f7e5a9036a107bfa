import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { DevCluster } from '../../src/devcluster/start.ts';
import { startDevCluster } from '../../src/devcluster/start.ts';
import { systemClock } from '../../src/app/system-ports.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger } from '../support/silent-ports.ts';
import type { ContractTarget } from './contract-target.ts';
import { runSuite } from './run-suite.ts';
import { SUITES } from './suites.ts';
import { WIDGET_TWINS } from './widget-twins.ts';

// CONTRACT_TARGET names a file with {"url", "token"}: the same suites then run on a real API server. With CONTRACT_RECORD=1 its
// answers become what devcluster is measured by.
const elsewhere = process.env['CONTRACT_TARGET'];
let folder: string | undefined;
let cluster: DevCluster | undefined;
let target: ContractTarget | undefined;

before(async () => {
  if (elsewhere !== undefined) {
    target = JSON.parse(await readFile(elsewhere, 'utf8'));
    return;
  }
  folder = await mkdtemp(join(tmpdir(), 'devcluster-'));
  cluster = await startDevCluster({
    clock: systemClock,
    random: seededRandom(7),
    log: recordingLogger(),
    certificates: folder,
    celTwins: [WIDGET_TWINS],
  });
  target = { url: cluster.url, ca: cluster.caPem, token: cluster.adminToken };
});

after(async () => {
  await cluster?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

for (const suite of SUITES) {
  runSuite(suite, {
    record: elsewhere !== undefined && process.env['CONTRACT_RECORD'] === '1',
    target: () => {
      if (target === undefined) throw new Error('The target has not started');
      return target;
    },
  });
}
