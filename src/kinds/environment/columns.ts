import type { PrinterColumn } from '../../sdk/index.ts';
import { ENVIRONMENT_CONDITIONS } from './conditions.ts';

/** Columns of the steps for `-o wide`, headed by what each is about. */
const STEP_COLUMNS: readonly (readonly [name: string, condition: string])[] = [
  ['Finalizer', ENVIRONMENT_CONDITIONS.finalizerEnsured],
  ['ConfigFound', ENVIRONMENT_CONDITIONS.clusterConfigResolved],
  ['NameComputed', ENVIRONMENT_CONDITIONS.namespaceNameComputed],
  ['NamespaceReady', ENVIRONMENT_CONDITIONS.namespaceReady],
  ['Quotas', ENVIRONMENT_CONDITIONS.resourceQuotasApplied],
  ['Limits', ENVIRONMENT_CONDITIONS.limitRangesApplied],
  ['Accounts', ENVIRONMENT_CONDITIONS.serviceAccountsApplied],
  ['Bindings', ENVIRONMENT_CONDITIONS.roleBindingsApplied],
  ['Policies', ENVIRONMENT_CONDITIONS.networkPoliciesApplied],
  ['Deleted', ENVIRONMENT_CONDITIONS.finalizerDeleted],
];

/** What `kubectl get environments` shows. */
export const environmentColumns: readonly PrinterColumn[] = [
  { name: 'Namespace', type: 'string', jsonPath: '.status.namespace', description: 'The namespace that was made.' },
  { name: 'Config', type: 'string', jsonPath: '.spec.clusterConfigRef.name' },
  { name: 'Step', type: 'string', jsonPath: '.status.step', description: 'The first step that has not succeeded.' },
  { name: 'Ready', type: 'string', jsonPath: conditionMember('Ready', 'status') },
  { name: 'Reason', type: 'string', jsonPath: conditionMember('Ready', 'reason') },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'Team', type: 'string', jsonPath: '.spec.teamRef.name', priority: 1 },
  ...STEP_COLUMNS.map(([name, condition]) => ({
    name,
    type: 'string' as const,
    jsonPath: conditionMember(condition, 'status'),
    priority: 1,
  })),
];

function conditionMember(type: string, member: 'status' | 'reason'): string {
  return `.status.conditions[?(@.type=="${type}")].${member}`;
}
