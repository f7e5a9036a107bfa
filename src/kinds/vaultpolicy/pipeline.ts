import { type Pipeline, pipeline } from '../../sdk/index.ts';
import { acceptPolicy } from './accept-policy.ts';
import type { VaultPolicy } from './schema.ts';
import { syncPolicy } from './sync-policy.ts';

/** The chain of a VaultPolicy; the engine adds EnsureFinalizer before it and DeleteFinalizer after it. */
export const vaultPolicyPipeline: Pipeline = pipeline<VaultPolicy>()
  .step(acceptPolicy)
  .step(syncPolicy)
  .build({
    finalizer: { name: 'homeostat.io/vaultpolicy', ensured: 'FinalizerEnsured', deleted: 'FinalizerDeleted' },
    invalidEvent: 'PolicyRefused',
    rechecks: true,
    status: ({ policyName, vaultNamespace, policyHash, lastChangedTime }) => ({
      ...(policyName === undefined ? {} : { policyName }),
      ...(vaultNamespace === undefined ? {} : { vaultNamespace }),
      ...(policyHash === undefined ? {} : { policyHash }),
      ...(lastChangedTime === undefined ? {} : { lastChangedTime }),
    }),
  });
