import { defineKind, type Kind, NAMESPACES } from '../../sdk/index.ts';
import { CLUSTER_CONFIGS, ENVIRONMENTS, VAULT_POLICIES } from '../tenancy/own-resources.ts';
import { grantIndexes, grantWatches } from '../vault/grant-watches.ts';
import { ACCEPTED } from './accept-policy.ts';
import { vaultPolicyAccessReviews } from './access-reviews.ts';
import { vaultPolicyPipeline } from './pipeline.ts';
import { vaultPolicyRules } from './rules.ts';
import { vaultPolicySample } from './sample.ts';
import { type VaultPolicySpec, type VaultPolicyStatus, vaultPolicySpec, vaultPolicyStatus } from './schema.ts';
import { SYNCED } from './sync-policy.ts';

/** VaultPolicy: what the applications of a namespace may do in Vault, kept there as its spec says. */
export const vaultPolicyKind: Kind = defineKind<VaultPolicySpec, VaultPolicyStatus>({
  type: VAULT_POLICIES,
  singular: 'vaultpolicy',
  shortNames: ['vp'],
  description: 'Keeps one ACL policy in Vault, within the paths that the ClusterConfig grants its namespace.',
  spec: vaultPolicySpec,
  status: vaultPolicyStatus,
  columns: [
    { name: 'Policy', type: 'string', jsonPath: '.status.policyName', priority: 1 },
    { name: 'Accepted', type: 'string', jsonPath: `.status.conditions[?(@.type=="${ACCEPTED}")].status`, priority: 1 },
    { name: 'Synced', type: 'string', jsonPath: `.status.conditions[?(@.type=="${SYNCED}")].status` },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  rules: vaultPolicyRules,
  accessReviews: vaultPolicyAccessReviews,
  pipeline: vaultPolicyPipeline,
  watches: grantWatches(VAULT_POLICIES),
  indexes: grantIndexes(VAULT_POLICIES),
  touches: [NAMESPACES, ENVIRONMENTS, CLUSTER_CONFIGS].map((type) => ({ type, verbs: ['get', 'list', 'watch'] })),
  samples: [vaultPolicySample],
});
