import { type Pipeline, pipeline } from '../../sdk/index.ts';
import { acceptApp } from './accept-app.ts';
import { resolvePolicies } from './resolve-policies.ts';
import type { VaultApp } from './schema.ts';
import { syncRole } from './sync-role.ts';

/** The chain of a VaultApp; the engine adds EnsureFinalizer before it and DeleteFinalizer after it. */
export const vaultAppPipeline: Pipeline = pipeline<VaultApp>()
  .step(acceptApp)
  .step(resolvePolicies)
  .step(syncRole)
  .build({
    finalizer: { name: 'homeostat.io/vaultapp', ensured: 'FinalizerEnsured', deleted: 'FinalizerDeleted' },
    invalidEvent: 'AppRefused',
    rechecks: true,
    status: ({ roleName, authMount, boundPolicies }) => ({
      ...(roleName === undefined ? {} : { roleName }),
      ...(authMount === undefined ? {} : { authMount }),
      ...(boundPolicies === undefined
        ? {}
        : { boundPolicies: [...boundPolicies], boundPolicyCount: boundPolicies.length }),
    }),
  });
