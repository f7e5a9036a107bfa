import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { KubeObject } from '../../src/base/object.ts';
import { gadgetSlice, reviewBody } from '../unit/admission/gadget.ts';
import { apiClient, listening, post, unlistened } from '../unit/admission/tls-server.ts';
import { loadWithoutMethod } from './09-lazy-dependency.ts';
import { naiveServer } from './09-naive-hook.ts';

/** A kind whose mutator uses the method that is not there. */
async function sliceOfMissing() {
  const dependency = await loadWithoutMethod();
  return gadgetSlice({
    mutate: (object: KubeObject) => {
      dependency.render(object.metadata.name);
      return object;
    },
  });
}

test('naive: the Pod is ready, and the first request ends the process', async (t) => {
  const crashes: unknown[] = [];
  const server = naiveServer(loadWithoutMethod, (error) => crashes.push(error));
  t.after(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const base = typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
  assert.equal((await fetch(`${base}/readyz`)).status, 200);
  await assert.rejects(fetch(`${base}/mutate`));
  assert.match(String(crashes[0]), /render is not a function/, 'this is the incident');
});

test('the golden input finds it before the server listens, and names hook and method', async () => {
  const { server } = unlistened({ slices: [await sliceOfMissing()] });
  await assert.rejects(server.warmUp(), {
    code: 'HOMEOSTAT_WARM_UP_FAILED',
    message: /Hook mutate\.gadgets\.test\.homeostat\.io .*CREATE: .*render is not a function/,
  });
  assert.match((await server.selfCheck(AbortSignal.timeout(5000))) ?? '', /does not listen yet/, 'not ready');
});

test('a request that meets it all the same is answered with a fault, and the next ones are served', async (t) => {
  const { port, lines } = await listening(t, { slices: [await sliceOfMissing()] });
  const agent = apiClient(t);
  for (let request = 0; request < 3; request++) {
    const broken = await post({ port, agent, path: '/mutate/gadgets' }, reviewBody());
    assert.equal(broken.status, 500);
    assert.equal((await post({ port, agent, path: '/validate/gadgets' }, reviewBody())).status, 200);
  }
  const told = lines.filter(({ level, fields }) => level === 'error' && fields['fault'] === 'bug');
  assert.equal(told.length, 3);
});
