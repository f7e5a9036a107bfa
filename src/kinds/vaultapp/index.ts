import { defineKind, type Kind, NAMESPACES } from '../../sdk/index.ts';
import { CLUSTER_CONFIGS, ENVIRONMENTS, VAULT_APPS } from '../tenancy/own-resources.ts';
import { APPS_BY_POLICY } from '../vault/apps-by-policy.ts';
import { grantIndexes } from '../vault/grant-watches.ts';
import { vaultAppPipeline } from './pipeline.ts';
import { NAMESPACES_WITH_INJECTION, podInjection } from './pod-injection.ts';
import { POLICIES_RESOLVED } from './resolve-policies.ts';
import { vaultAppRules } from './rules.ts';
import { vaultAppSample } from './sample.ts';
import { type VaultAppSpec, type VaultAppStatus, vaultAppSpec, vaultAppStatus } from './schema.ts';
import { SYNCED } from './sync-role.ts';
import { vaultAppWatches } from './watches.ts';

/** VaultApp: which service accounts of a namespace log in to Vault, and with which policies. */
export const vaultAppKind: Kind = defineKind<VaultAppSpec, VaultAppStatus>({
  type: VAULT_APPS,
  singular: 'vaultapp',
  shortNames: ['va'],
  description:
    'Keeps one role in Vault with which service accounts of this namespace log in and get the rights of VaultPolicies.',
  spec: vaultAppSpec,
  status: vaultAppStatus,
  columns: [
    { name: 'Role', type: 'string', jsonPath: '.status.roleName', priority: 1 },
    { name: 'Policies', type: 'integer', jsonPath: '.status.boundPolicyCount' },
    {
      name: 'Resolved',
      type: 'string',
      jsonPath: `.status.conditions[?(@.type=="${POLICIES_RESOLVED}")].status`,
      priority: 1,
    },
    { name: 'Synced', type: 'string', jsonPath: `.status.conditions[?(@.type=="${SYNCED}")].status` },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  rules: vaultAppRules,
  pipeline: vaultAppPipeline,
  watches: vaultAppWatches,
  indexes: [...grantIndexes(VAULT_APPS), APPS_BY_POLICY, NAMESPACES_WITH_INJECTION],
  injection: podInjection,
  touches: [NAMESPACES, ENVIRONMENTS, CLUSTER_CONFIGS].map((type) => ({ type, verbs: ['get', 'list', 'watch'] })),
  samples: [vaultAppSample],
});
