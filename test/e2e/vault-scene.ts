import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { type RealVault, startVault } from '../controlplane/vault.ts';
import { type Deployment, deploy } from './harness.ts';

/** The service on a real control plane with a real Vault, set up as docs/vault.md says. */
export interface VaultDeployment {
  readonly deployment: Deployment;
  readonly vault: RealVault;
  /** A token of a service account for an audience. */
  tokenFor(namespace: string, name: string, audience: string): Promise<string>;
  /** Requests to a path of Vault so far. */
  asked(path: string): Promise<number>;
  close(): Promise<void>;
}

/** Name of this cluster in Vault. */
export const CLUSTER_ID = 'c1';

/** Deploys. `recheck` is how often Vault is compared, in Go's spelling. */
export async function deployWithVault(recheck: string): Promise<VaultDeployment> {
  const group = await OwnedProcesses.open('homeostat-vault');
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-vault-token-'));
  const vault = await startVault(group);
  const tokenFile = join(folder, 'token');
  const flags = {
    'vault-address': vault.address,
    'vault-token-file': tokenFile,
    'cluster-id': CLUSTER_ID,
    recheck,
    'log-level': 'debug',
  };
  const deployment = await deploy({ flags });
  const { plane, manifests } = deployment;
  const tokenFor = async (namespace: string, name: string, audience: string): Promise<string> => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { body } = await plane.request('POST', path, { spec: { audiences: [audience], expirationSeconds: 3600 } });
    // authentication.k8s.io/v1 TokenRequest.
    return (body as { readonly status: { readonly token: string } }).status.token;
  };
  await setUpVault(deployment, vault);
  await writeFile(tokenFile, await tokenFor(manifests.namespace, manifests.serviceAccount, 'vault'), { mode: 0o600 });
  return {
    deployment,
    vault,
    tokenFor,
    asked: async (path) => (await vault.requests()).filter((request) => request.path === `/v1/${path}`).length,
    close: async () => {
      try {
        await deployment.close();
      } finally {
        await group.close();
        await group.removeFolder();
        await rm(folder, { recursive: true });
      }
    },
  };
}

/** What an administrator does once: the auth method, the policy of the service as the docs print it, its role, and a place for secrets. */
async function setUpVault({ plane, manifests }: Deployment, vault: RealVault): Promise<void> {
  await plane.kubectl(['create', 'serviceaccount', 'vault-reviewer', '-n', 'default']);
  await plane.kubectl([
    ...['create', 'clusterrolebinding', 'vault-reviewer', '--clusterrole=system:auth-delegator'],
    '--serviceaccount=default:vault-reviewer',
  ]);
  const page = await readFile(join(projectFolder, 'docs', 'vault.md'), 'utf8');
  const [, policy = ''] = /```hcl\n(.*?)```/s.exec(page) ?? [];
  await done(vault, 'sys/auth/kubernetes', { type: 'kubernetes' });
  await done(vault, 'auth/kubernetes/config', {
    kubernetes_host: plane.server,
    kubernetes_ca_cert: plane.ca,
    token_reviewer_jwt: await plane.serviceAccountToken('default', 'vault-reviewer'),
    disable_local_ca_jwt: true,
  });
  await done(vault, 'sys/policies/acl/homeostat', { policy });
  await done(vault, 'auth/kubernetes/role/homeostat', {
    bound_service_account_names: manifests.serviceAccount,
    bound_service_account_namespaces: manifests.namespace,
    audience: 'vault',
    token_policies: 'homeostat',
    token_ttl: '1h',
  });
  await done(vault, 'sys/mounts/secret', { type: 'kv', options: { version: '2' } });
}

async function done(vault: RealVault, path: string, body: object): Promise<void> {
  const { status, body: answer } = await vault.request('POST', path, body);
  if (status >= 300) throw new Error(`Vault refused ${path}: ${JSON.stringify(answer)}`);
}
