import { FakeVault } from '../../src/devcluster/vault/fake-vault.ts';
import { unsignedToken } from '../../src/devcluster/vault/unsigned-token.ts';
import { bodyOf } from '../../src/adapters/vault/vault-answer.ts';
import { isRecord } from '../../src/base/json.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type VaultTarget, vaultSuite } from './vault.suite.ts';

const METHODS = { GET: 'GET', POST: 'POST', DELETE: 'DELETE' } as const;

/** The fake, asked with the token of a login. */
async function open(): Promise<VaultTarget> {
  const fake = new FakeVault({ clock: new FakeClock(), random: seededRandom() });
  fake.roles.set('admin', { bound_service_account_names: ['a'], bound_service_account_namespaces: ['b'] });
  let token = '';
  const request: VaultTarget['request'] = async (method, path, body) => {
    const known = METHODS[method === 'GET' || method === 'DELETE' ? method : 'POST'];
    const answer = await fake.send({
      method: known,
      path: `/v1/${path}`,
      headers: { 'x-vault-token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: new AbortController().signal,
    });
    return { status: answer.status, body: bodyOf(answer) };
  };
  const { body } = await request('POST', 'auth/kubernetes/login', { role: 'admin', jwt: unsignedToken('b', 'a', 'x') });
  token = isRecord(body['auth']) ? String(body['auth']['client_token']) : '';
  return {
    request,
    seal: async () => void (fake.switches.sealed = true),
    unseal: async () => void (fake.switches.sealed = false),
  };
}

vaultSuite('fake', open);
