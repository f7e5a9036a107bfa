import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/app/system-ports.ts';
import { startDevCluster } from '../../src/devcluster/start.ts';
import { callApi } from '../controlplane/api-access.ts';
import { runMatrix } from '../support/admission-matrix/run-matrix.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger } from '../support/silent-ports.ts';

// The embedded API server is the model of the real one here: test/deep/admission-matrix.test.ts holds both to one table.
const folder = await mkdtemp(join(tmpdir(), 'admission-matrix-'));
const cluster = await startDevCluster({
  clock: systemClock,
  random: seededRandom(11),
  log: recordingLogger(),
  certificates: folder,
});
const access = { server: cluster.url, ca: cluster.caPem, token: cluster.adminToken };

runMatrix(
  async () =>
    Promise.resolve({
      request: async (method, path, body, contentType) =>
        callApi(access, { method, path, body, ...(contentType === undefined ? {} : { contentType }) }),
    }),
  async () => {
    await cluster.close();
    await rm(folder, { recursive: true });
  },
);
