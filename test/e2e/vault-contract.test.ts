import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import { parsePolicy } from '../../src/kinds/vault/parse-policy.ts';
import { capabilitySet, type PolicyRule } from '../../src/kinds/vault/policy-rule.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { startVault } from '../controlplane/vault.ts';
import { ACCEPTED, type VaultTarget, vaultSuite } from '../contract/vault.suite.ts';

const groups: OwnedProcesses[] = [];
after(async () => {
  for (const group of groups) {
    await group.close();
    await group.removeFolder();
  }
});

/** A real server of a test's own, asked as root, with the auth method enabled and not yet configured. */
async function open(): Promise<VaultTarget> {
  const group = await OwnedProcesses.open('homeostat-vault');
  groups.push(group);
  const vault = await startVault(group);
  await vault.request('POST', 'sys/auth/kubernetes', { type: 'kubernetes' });
  return vault;
}

vaultSuite('Vault 1.21', open);

/** A path that the pattern of a rule matches and, in these texts, no other rule does. */
function anyPathOf(pattern: string): string {
  return pattern.replaceAll('+', 'segment').replace(/\*$/, 'rest');
}

/** What the rules of one policy let do on the path of one of them. */
function capabilitiesOf(rules: readonly PolicyRule[], pattern: string): readonly string[] {
  return capabilitySet(rules.filter(({ path }) => path === pattern).flatMap(({ capabilities }) => capabilities));
}

test('Vault 1.21: a token has the capabilities that are read from its policy here, and no others', async () => {
  const vault = await open();
  for (const policy of ACCEPTED.filter((text) => !text.includes('{{'))) {
    await vault.request('POST', 'sys/policies/acl/corpus', { policy });
    const { body } = await vault.request('POST', 'auth/token/create', {
      policies: ['corpus'],
      no_default_policy: true,
    });
    const token = isRecord(body['auth']) ? body['auth']['client_token'] : undefined;
    const rules = parsePolicy(policy).rules.map(({ rule }) => rule);
    for (const { path } of rules) {
      const asked = anyPathOf(path);
      const answer = await vault.request('POST', 'sys/capabilities', { token, paths: [asked] });
      assert.deepEqual(
        [answer.body[asked]].flat().map(String).toSorted(),
        capabilitiesOf(rules, path),
        `${asked} in ${policy}`,
      );
    }
  }
});
