import { type Pipeline, pipeline, type Violation } from '../../sdk/index.ts';
import {
  applyLimitRanges,
  applyNetworkPolicies,
  applyResourceQuotas,
  applyRoleBindings,
  applyServiceAccounts,
} from './child-steps.ts';
import { computeNamespaceName } from './compute-namespace-name.ts';
import { ENVIRONMENT_CONDITIONS } from './conditions.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { resolveClusterConfigRef } from './resolve-cluster-config.ts';
import type { Environment } from './schema.ts';
import { statusOf } from './status.ts';

/** The chain of an Environment; the engine adds EnsureFinalizer before it and DeleteFinalizer after it. */
export const environmentPipeline: Pipeline = pipeline<Environment>()
  .step(resolveClusterConfigRef)
  .step(computeNamespaceName)
  .pauseHere(({ object }) =>
    object.spec.paused ? { reason: 'SpecPaused', message: 'spec.paused is true' } : undefined,
  )
  .step(ensureNamespace)
  .step(applyResourceQuotas)
  .step(applyLimitRanges)
  .step(applyServiceAccounts)
  .step(applyRoleBindings)
  .step(applyNetworkPolicies)
  .build({
    finalizer: {
      name: 'homeostat.io/environment',
      ensured: ENVIRONMENT_CONDITIONS.finalizerEnsured,
      deleted: ENVIRONMENT_CONDITIONS.finalizerDeleted,
      waiting: 'WaitingForNamespace',
    },
    status: statusOf,
    invalid: conditionConcerned,
  });

/** Conditions of the steps that use a member of the spec. */
const CONCERNED: Readonly<Record<string, string>> = {
  targetNamespace: ENVIRONMENT_CONDITIONS.namespaceNameComputed,
  namespaceLabels: ENVIRONMENT_CONDITIONS.namespaceReady,
  namespaceAnnotations: ENVIRONMENT_CONDITIONS.namespaceReady,
  resourceQuotas: ENVIRONMENT_CONDITIONS.resourceQuotasApplied,
  limitRanges: ENVIRONMENT_CONDITIONS.limitRangesApplied,
  serviceAccounts: ENVIRONMENT_CONDITIONS.serviceAccountsApplied,
  roleBindings: ENVIRONMENT_CONDITIONS.roleBindingsApplied,
  networkPolicies: ENVIRONMENT_CONDITIONS.networkPoliciesApplied,
};

function conditionConcerned({ path }: Violation): string {
  const [, member] = path;
  const found = typeof member === 'string' && Object.hasOwn(CONCERNED, member) ? CONCERNED[member] : undefined;
  return found ?? ENVIRONMENT_CONDITIONS.clusterConfigResolved;
}
