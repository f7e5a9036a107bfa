import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import { meansTheSame } from '../../src/kinds/vault/canonical-policy.ts';
import { parsePolicy } from '../../src/kinds/vault/parse-policy.ts';

/** A Vault that the suite asks with every right: the fake, or the real server. */
export interface VaultTarget {
  request(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
}

const POLICY = 'sys/policies/acl/c1.team-a.app';
const ROLE = 'auth/kubernetes/role/c1.team-a.app';
const TEXT = 'path "secret/data/team-a/*" {\n  capabilities = ["read", "list"]\n}\n';

const bound = { bound_service_account_names: ['app'], bound_service_account_namespaces: ['team-a'] };

/** Every form of the grammar that policies are written in. */
export const ACCEPTED: readonly string[] = [
  TEXT,
  '# c\n// c\n/* c */ path "a" { capabilities = ["read",] }',
  'path "a" { capabilities = ["deny", "read"] }\npath "a" { capabilities = ["list"] }',
  'path "/a/+/b/*" { capabilities = ["create", "update", "patch", "delete", "list", "sudo"] }',
  'path "a" { capabilities = ["update"] allowed_parameters = { "x" = ["1", "b*"] "y" = [] } denied_parameters = { z = [] } }',
  'path "a" { capabilities = ["update"] required_parameters = ["x", "y"] min_wrapping_ttl = "1m" max_wrapping_ttl = 90 }',
  'path "a" { capabilities = ["read"] comment = <<EOT\nmany\nlines\nEOT\n}',
  'path "a\\u0062" { capabilities = ["read"] }',
  'path "secret/{{identity.entity.id}}/*" { capabilities = ["read"] }',
  '"path" "a" { "capabilities" = ["read"] }',
  'path "a" { capabilities = ["read"] }, path "b" { capabilities = ["read"] }',
  '{"path": {"a/*": {"capabilities": ["read"]}, "b": {"capabilities": ["list", "read"], "min_wrapping_ttl": "10s"}}}',
  '{"path": [{"a": {"capabilities": ["read"]}}, {"b": {"capabilities": ["deny"]}}]}',
];

/** What both refuse. */
const REFUSED: readonly string[] = [
  'path "a" {',
  'path "a" { capabilities = ["read" }',
  'path "a" { capabilities = ["nothing"] }',
  'path "a" { capabilites = ["read"] }',
  'rule "a" { capabilities = ["read"] }',
  'path "a/+*" { capabilities = ["read"] }',
  'path "a" = { capabilities = ["read"] }',
  'path "a" { capabilities = ["read"] capabilities = ["read"] }',
  'path "a" { capabilities = ["read"] min_wrapping_ttl = 9 max_wrapping_ttl = 5 }',
  '{"path": {"a": {"capabilities": "nothing"}}}',
];

/** What one fact asks of a Vault of its own. */
type Check = (vault: VaultTarget) => Promise<void>;

const readsBack: Check = async (vault) => {
  assert.equal((await vault.request('POST', POLICY, { policy: TEXT })).status, 204);
  assert.equal((await dataOf(vault, POLICY))['policy'], TEXT);
  assert.equal((await vault.request('DELETE', POLICY)).status, 204);
  assert.equal((await vault.request('DELETE', POLICY)).status, 204);
};

const lowersNames: Check = async (vault) => {
  const { status, body } = await vault.request('POST', 'sys/policies/acl/Mixed', { policy: TEXT });
  assert.equal(status, 200);
  assert.deepEqual(body['warnings'], ['policy name was converted to mixed']);
  assert.equal((await dataOf(vault, 'sys/policies/acl/mixed'))['name'], 'mixed');
};

const tellsAbsence: Check = async (vault) => {
  for (const path of ['sys/policies/acl/nowhere', 'auth/kubernetes/role/nowhere']) {
    const { status, body } = await vault.request('GET', path);
    assert.deepEqual([status, body['errors']], [404, []], path);
  }
  const { status, body } = await vault.request('GET', 'auth/elsewhere/role/x');
  assert.equal(status, 404);
  assert.match(String(body['errors']), /no handler for route/);
};

const keepsWhatIsLeftOut: Check = async (vault) => {
  const role = { ...bound, audience: 'vault', token_policies: ['a', 'b'], token_ttl: 60 };
  assert.equal((await vault.request('POST', ROLE, role)).status, 204);
  assert.equal((await vault.request('POST', ROLE, { ...bound, token_max_ttl: 120 })).status, 204);
  const read = await dataOf(vault, ROLE);
  assert.deepEqual(
    [read['audience'], read['token_policies'], read['token_ttl'], read['token_max_ttl']],
    ['vault', ['a', 'b'], 60, 120],
  );
  const explicit = { ...bound, audience: '', token_policies: [], token_ttl: 0, token_max_ttl: 0 };
  await vault.request('POST', ROLE, explicit);
  const emptied = await dataOf(vault, ROLE);
  assert.deepEqual([emptied['audience'], emptied['token_policies'], emptied['token_ttl']], [undefined, [], 0]);
  assert.equal((await vault.request('DELETE', ROLE)).status, 204);
};

const losesFullMasks: Check = async (vault) => {
  await vault.request('POST', ROLE, {
    ...bound,
    audience: 'vault',
    token_bound_cidrs: ['10.0.0.1/32', '10.1.0.0/16'],
  });
  assert.deepEqual((await dataOf(vault, ROLE))['token_bound_cidrs'], ['10.0.0.1', '10.1.0.0/16']);
  const { status, body } = await vault.request('POST', `${ROLE}2`, { ...bound, bound_service_account_names: [] });
  assert.equal(status, 400);
  assert.match(String(body['errors']), /"bound_service_account_names" can not be empty/);
};

const decodesBase64: Check = async (vault) => {
  await vault.request('POST', POLICY, { policy: Buffer.from(TEXT).toString('base64') });
  assert.equal((await dataOf(vault, POLICY))['policy'], TEXT);
  await vault.request('POST', POLICY, { policy: `# homeostat.io c1 team-a/app uid\n${TEXT}` });
  assert.equal((await dataOf(vault, POLICY))['policy'], `# homeostat.io c1 team-a/app uid\n${TEXT}`);
  assert.equal((await vault.request('POST', POLICY, { policy: '' })).status, 400);
};

const refusesDuplicates: Check = async (vault) => {
  const policy = 'path "a" {\n  capabilities = ["read"]\n  capabilities = ["list"]\n}';
  const { status, body } = await vault.request('POST', POLICY, { policy });
  assert.equal(status, 400);
  assert.match(String(body['errors']), /failed to parse policy/);
};

const survivesSeal: Check = async (vault) => {
  await vault.request('POST', POLICY, { policy: TEXT });
  await vault.seal();
  assert.equal((await vault.request('GET', 'sys/health')).status, 503);
  const { status, body } = await vault.request('GET', POLICY);
  assert.equal(status, 503);
  assert.match(String(body['errors']), /Vault is sealed/);
  await vault.unseal();
  assert.equal((await dataOf(vault, POLICY))['policy'], TEXT);
};

const acceptsWhatIsAccepted: Check = async (vault) => {
  for (const text of ACCEPTED) {
    const { rules, problems } = parsePolicy(text);
    assert.deepEqual(problems, [], text);
    const { status, body } = await vault.request('POST', POLICY, { policy: text });
    assert.ok(status === 204 || status === 200, `${text}: ${JSON.stringify(body)}`);
    const stored = String((await dataOf(vault, POLICY))['policy']);
    assert.ok(
      meansTheSame(
        stored,
        rules.map(({ rule }) => rule),
      ),
      text,
    );
  }
};

const refusesWhatIsRefused: Check = async (vault) => {
  for (const text of REFUSED) {
    assert.equal((await vault.request('POST', POLICY, { policy: text })).status, 400, text);
    assert.notDeepEqual(parsePolicy(text).problems, [], text);
  }
};

async function dataOf(vault: VaultTarget, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await vault.request('GET', path);
  assert.equal(status, 200);
  assert.ok(isRecord(body['data']));
  return body['data'];
}

const FACTS: readonly (readonly [title: string, check: Check])[] = [
  ['VT1 a policy is read back as it was written', readsBack],
  ['VT2 names become lower case, with a warning', lowersNames],
  ['VT3 absence is 404 without a word, a missing mount 404 with one', tellsAbsence],
  ['VT4 an update of a role keeps what it leaves out', keepsWhatIsLeftOut],
  ['VT4 an address loses its mask, and a role without accounts is refused', losesFullMasks],
  ['VT5 a text that happens to be base64 is decoded, one that begins with our mark is not', decodesBase64],
  ['VT6 an attribute that stands twice is refused', refusesDuplicates],
  ['VT7 a sealed server says so, and goes on after the unseal with what it had', survivesSeal],
  ['what is accepted here is accepted there, and means the same when it is read back', acceptsWhatIsAccepted],
  ['what Vault cannot read is refused here as well', refusesWhatIsRefused],
];

/** What the kinds rely on: VT1 to VT7, and that both read policies alike. `open` gives a Vault of a test's own. */
export function vaultSuite(name: string, open: () => Promise<VaultTarget>): void {
  for (const [title, check] of FACTS) test(`${name}: ${title}`, async () => check(await open()));
}
