import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../../src/kube/client.ts';
import { createKubeClient } from '../../../src/kube/http-client.ts';
import { TransportError } from '../../../src/kube/transport-error.ts';
import { LeaseGuard } from '../../../src/runtime/lease-guard.ts';
import { AnsweringClient } from '../../support/answering-client.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryTransport } from '../../support/memory-transport.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { WIDGETS, widget } from '../../support/widgets.ts';

const signal = new AbortController().signal;

const writes: Readonly<Record<string, (client: KubeClient) => Promise<unknown>>> = {
  create: (client) => client.create(WIDGETS, widget('c', ''), { signal }),
  update: (client) => client.update(WIDGETS, widget('c', '1'), { signal }),
  patch: (client) => client.patch(WIDGETS, { namespace: 'ns', name: 'c' }, { type: 'merge', body: {} }, { signal }),
  apply: (client) => client.apply(WIDGETS, widget('c', ''), { signal, fieldManager: 'us' }),
  delete: (client) => client.delete(WIDGETS, { namespace: 'ns', name: 'c' }, { signal }),
};
for (const [name, write] of Object.entries(writes)) {
  test(`a ${name} passes while the lease is valid and is not sent afterwards`, async () => {
    const client = new AnsweringClient(widget('c', '20'));
    let valid = true;
    const guard = new LeaseGuard(client, { isValid: () => valid });
    await write(guard);
    valid = false;
    await assert.rejects(write(guard), { code: 'HOMEOSTAT_LEASE_LOST', message: /widgets\.test\.io was not sent/ });
    assert.equal(client.writes, 1);
  });
}

for (const [name, write] of Object.entries(writes)) {
  test(`a ${name} that could not be sent is not sent again when the lease has run out meanwhile`, async () => {
    const clock = new FakeClock();
    const transport = memoryTransport((_request, index) => {
      if (index === 0) throw new TransportError('refused', { sent: false });
      return { body: { ...widget('c', '20'), kind: 'Widget' } };
    });
    const ports = { random: seededRandom(), metrics: recordingMetrics(), log: recordingLogger() };
    const client = createKubeClient({ ...ports, transport, clock, userAgent: 'homeostat/0' });
    let valid = true;
    const guard = new LeaseGuard(client, { isValid: () => valid });
    const [[result]] = await Promise.all([
      Promise.allSettled([write(guard)]),
      Promise.resolve().then(() => {
        valid = false;
        return clock.advance(60_000);
      }),
    ]);
    assert.equal(result.status === 'rejected' && result.reason.code, 'HOMEOSTAT_LEASE_LOST');
    assert.equal(transport.requests.length, 1);
  });
}

test('reads pass without a lease', async () => {
  const guard = new LeaseGuard(new AnsweringClient(widget('c', '20')), { isValid: () => false });
  assert.equal((await guard.get(WIDGETS, { name: 'c' }, { signal })).metadata.name, 'c');
});
