import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '../../../src/kube/client.ts';
import { LeaseGuard } from '../../../src/runtime/lease-guard.ts';
import { AnsweringClient } from '../../support/answering-client.ts';
import { WIDGETS, widget } from '../../support/widgets.ts';

const signal = new AbortController().signal;

const writes: Readonly<Record<string, (client: KubeClient) => Promise<unknown>>> = {
  create: (client) => client.create(WIDGETS, widget('c', ''), { signal }),
  update: (client) => client.update(WIDGETS, widget('c', '1'), { signal }),
  patch: (client) => client.patch(WIDGETS, { name: 'c' }, { type: 'merge', body: {} }, { signal }),
  apply: (client) => client.apply(WIDGETS, widget('c', ''), { signal, fieldManager: 'us' }),
  delete: (client) => client.delete(WIDGETS, { name: 'c' }, { signal }),
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

test('reads pass without a lease', async () => {
  const guard = new LeaseGuard(new AnsweringClient(widget('c', '20')), { isValid: () => false });
  assert.equal((await guard.get(WIDGETS, { name: 'c' }, { signal })).metadata.name, 'c');
});
