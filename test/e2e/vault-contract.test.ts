import { after } from 'node:test';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { startVault } from '../controlplane/vault.ts';
import { type VaultTarget, vaultSuite } from '../contract/vault.suite.ts';

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
