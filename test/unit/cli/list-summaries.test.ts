import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listSummaries } from '../../../src/cli/list-summaries.ts';
import { ApiError } from '../../../src/kube/api-error.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { TestCluster } from '../../../src/testkit/test-cluster.ts';

const { signal } = new AbortController();
const OF_THE_CLUSTER = kinds.filter(({ type }) => !type.namespaced);

/** The samples, seen by somebody who may list in namespaces alone. */
async function tenantsAccess(): Promise<Parameters<typeof listSummaries>[2]> {
  const cluster = await TestCluster.create(kinds);
  after(() => cluster.close());
  for (const sample of kinds.flatMap((kind) => kind.samples)) await cluster.put(sample);
  const { client } = cluster;
  const list: typeof client.list = (type, query, call) => {
    if (query.namespace !== undefined) return client.list(type, query, call);
    const target = { verb: 'list', resource: type.plural, key: '' };
    return Promise.reject(new ApiError(target, 403, { reason: 'Forbidden' }));
  };
  return {
    client: new Proxy(client, { get: (of, key) => (key === 'list' ? list : Reflect.get(of, key, of)) }),
    signal,
  };
}

test('who has rights in a namespace alone sees its objects, and which kinds are hidden', async () => {
  const { objects, hidden } = await listSummaries(kinds, 'team-a', await tenantsAccess());
  assert.deepEqual(
    hidden,
    OF_THE_CLUSTER.map(({ type }) => type.plural),
  );
  assert.ok(objects.some(({ kind, name }) => kind === 'Environment' && name === 'dev'));
  assert.ok(objects.every(({ namespace }) => namespace === 'team-a'));
});

test('a kind that was asked for by name, and all namespaces, are refused as the API server says', async () => {
  const access = await tenantsAccess();
  await assert.rejects(listSummaries(OF_THE_CLUSTER.slice(0, 1), 'team-a', access), {
    code: 'HOMEOSTAT_API_FORBIDDEN',
  });
  await assert.rejects(listSummaries(kinds, undefined, access), { code: 'HOMEOSTAT_API_FORBIDDEN' });
});
