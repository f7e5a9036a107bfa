import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperationsOptions, startOperationsServer } from '../../../src/app/operations-server.ts';

const OPTIONS: OperationsOptions = {
  host: '127.0.0.1',
  healthPort: 0,
  metricsPort: 0,
  live: [{ name: 'event-loop', problem: () => undefined }],
  ready: [
    { name: 'certificate', problem: () => undefined },
    { name: 'caches', problem: () => 'environments: list forbidden' },
  ],
  metrics: { contentType: 'text/plain', render: () => Promise.resolve('up 1\n') },
};

test('probes answer 200 or 503 and say which check failed', async () => {
  const server = await startOperationsServer(OPTIONS);
  const get = async (path: string, port = server.healthPort) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, await answer.text()];
  };
  try {
    assert.deepEqual(await get('/livez'), [200, 'ok\n']);
    assert.deepEqual(await get('/livez?verbose'), [200, '[+]event-loop ok\n']);
    assert.deepEqual(await get('/readyz'), [
      503,
      '[+]certificate ok\n[-]caches failed: environments: list forbidden\n',
    ]);
    assert.deepEqual(await get('/metrics', server.metricsPort), [200, 'up 1\n']);
  } finally {
    await server.close();
  }
});

test('a taken port is named together with the flag that changes it', async () => {
  const first = await startOperationsServer(OPTIONS);
  try {
    await assert.rejects(startOperationsServer({ ...OPTIONS, metricsPort: first.metricsPort }), {
      code: 'HOMEOSTAT_PORT_TAKEN',
      message: new RegExp(`Port ${first.metricsPort} .*--metrics-port`),
    });
  } finally {
    await first.close();
  }
});
