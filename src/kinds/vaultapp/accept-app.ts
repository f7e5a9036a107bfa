import {
  noop,
  type Outcome,
  passed,
  refOf,
  type Step,
  type StepContext,
  type Waiting,
  waiting,
} from '../../sdk/index.ts';
import { findGrant, type VaultGrant } from '../vault/vault-grant.ts';
import { vaultName } from '../vault/vault-names.ts';
import { lifeProblem } from './life-problem.ts';
import type { VaultApp } from './schema.ts';
import { unbindMissing } from './unbind-missing.ts';

/** Condition of the first step. */
export const ACCEPTED = 'Accepted';

/** What the steps after this one need. */
export interface AcceptedApp {
  readonly grant: VaultGrant;
  /** Absent where this service was told of no Vault. */
  readonly roleName?: string;
  readonly authMount?: string;
}

/**
 * Step 1. The same checks of the grant that admission does, because a grant may be narrowed afterwards. The role then stays as it is, but
 * for policies that are there no more.
 */
export const acceptApp: Step<VaultApp, object, AcceptedApp> = {
  name: 'AcceptApp',
  condition: ACCEPTED,
  apply: accept,
};

function accept(context: StepContext<VaultApp, object>): Outcome<AcceptedApp> | Promise<Outcome<AcceptedApp>> {
  const { object, api } = context;
  const found = findGrant(object.metadata.namespace ?? '', api.lookup);
  if (found.type === 'none') return refused(context, waiting('NoClusterConfig', found.detail, { event: 'AppRefused' }));
  const life = lifeProblem(object.spec, found.grant.maxTokenTtlSeconds);
  if (life !== undefined) {
    const message = `spec.${life.member}: ${life.detail}`;
    return refused(context, waiting('CeilingExceeded', message, { event: 'AppRefused', on: [refOf(object)] }));
  }
  const settings = api.outside.vault?.settings;
  const named = settings === undefined ? {} : { roleName: vaultName(settings, object), authMount: settings.authMount };
  return noop({ grant: found.grant, ...named }, { reason: 'Valid', message: 'Within what the namespace is granted' });
}

async function refused(context: StepContext<VaultApp, object>, refusal: Waiting): Promise<Outcome<never>> {
  const unbound = await unbindMissing(context);
  return passed(unbound) ? refusal : unbound;
}
