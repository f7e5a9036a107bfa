import type { VaultSettings } from '../base/vault.ts';
import { isDnsLabel } from '../rules/dns-names.ts';
import { type FlagTable, type FlagValues, UsageError } from './flag.ts';

/** Flags of `run` that say which Vault there is, and who this service is there. */
export const VAULT_FLAGS = {
  'vault-address': {
    type: 'text',
    placeholder: 'URL',
    env: 'VAULT_ADDR',
    description: 'Vault server for VaultPolicy and VaultApp; without it both wait',
  },
  'vault-namespace': {
    type: 'text',
    placeholder: 'PATH',
    env: 'VAULT_NAMESPACE',
    default: '',
    description: 'Namespace within Vault, where the server has namespaces',
  },
  'vault-ca-file': {
    type: 'text',
    placeholder: 'FILE',
    env: 'VAULT_CACERT',
    description: 'Authorities that sign Vault’s certificate (PEM); those of Node where absent',
  },
  'vault-auth-mount': {
    type: 'text',
    placeholder: 'PATH',
    env: 'VAULT_AUTH_MOUNT',
    default: 'kubernetes',
    description: 'Mount of the Kubernetes auth method that knows this cluster',
  },
  'vault-role': {
    type: 'text',
    placeholder: 'NAME',
    env: 'VAULT_ROLE',
    default: 'homeostat',
    description: 'Role of that mount with which this service logs in',
  },
  'vault-token-file': {
    type: 'text',
    placeholder: 'FILE',
    default: '/var/run/secrets/homeostat.io/vault/token',
    description: 'Projected token of this service’s account for Vault',
  },
  'cluster-id': {
    type: 'text',
    placeholder: 'NAME',
    env: 'CLUSTER_ID',
    description: 'First part of every name in Vault; no two clusters may share one. Needed with --vault-address',
  },
} as const satisfies FlagTable;

/** Reads the Vault flags; `undefined` where no Vault is named. @throws UsageError */
export function readVaultSettings(flags: FlagValues<typeof VAULT_FLAGS>): VaultSettings | undefined {
  const address = flags['vault-address'];
  if (address === undefined) return undefined;
  const clusterId = flags['cluster-id'];
  if (clusterId === undefined) {
    throw new UsageError(
      'Flag --cluster-id must name this cluster with --vault-address: it begins every name in Vault',
    );
  }
  if (!isDnsLabel(clusterId)) throw new UsageError(`Flag --cluster-id: "${clusterId}" is not a DNS label`);
  return {
    address: readAddress(address),
    namespace: withoutOuterSlashes(flags['vault-namespace']),
    authMount: withoutOuterSlashes(flags['vault-auth-mount']),
    clusterId,
  };
}

function readAddress(text: string): string {
  const url = URL.parse(text);
  const origin = url?.origin ?? 'null';
  if (url === null || origin === 'null' || url.pathname !== '/' || url.search !== '' || url.username !== '') {
    throw new UsageError(`Flag --vault-address: "${text}" is not an origin such as https://vault.example.org:8200`);
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return origin;
  throw new UsageError(
    `Flag --vault-address: "${text}" is neither https nor on loopback; tokens do not travel in the clear`,
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function withoutOuterSlashes(path: string): string {
  return path.replaceAll(/^\/+|\/+$/g, '');
}
