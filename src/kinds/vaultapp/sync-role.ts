import { done, type Drift, noop, type Outcome, type Step, type StepContext, waiting } from '../../sdk/index.ts';
import { rolePath, vaultName } from '../vault/vault-names.ts';
import { changedMeanwhile, nameNotNoted, notConfigured, withVault } from '../vault/vault-outcome.ts';
import type { AcceptedApp } from './accept-app.ts';
import { removeRole } from './remove-role.ts';
import { type ResolvedPolicies, resolveLive } from './resolve-policies.ts';
import { boundPolicies, desiredRole, isRoleOf, roleDifference } from './role.ts';
import type { VaultApp } from './schema.ts';

/** Condition of the step that keeps Vault as it should be. */
export const SYNCED = 'Synced';

/** Nothing tells when somebody else's role goes. */
const CONFLICT_MS = 600_000;

/** What the status tells of the role in Vault. */
export interface SyncedRole {
  readonly boundPolicies: readonly string[];
}

type Needs = AcceptedApp & ResolvedPolicies;

/**
 * Step 3. Reads the role and writes it where it differs, whole. A role without a policy would still let Pods log in, so it is taken away
 * instead. As with policies, the name is in the status before the first write.
 */
export const syncRole: Step<VaultApp, Needs, SyncedRole> = {
  name: 'SyncRole',
  condition: SYNCED,
  apply: sync,
  remove: removeRole,
};

function sync(context: StepContext<VaultApp, Needs>): Outcome<SyncedRole> | Promise<Outcome<SyncedRole>> {
  const { object, api, needs, signal } = context;
  const { vault } = api.outside;
  if (vault === undefined) return notConfigured();
  const { settings } = vault;
  const name = vaultName(settings, object);
  if (object.status?.roleName !== name) return nameNotNoted();
  const path = rolePath(settings, name);
  return withVault(async () => {
    const live = await vault.read(path, signal);
    if (live !== undefined && !isRoleOf(live, object.metadata.namespace ?? '')) return conflict(name);
    const bound = live === undefined ? [] : boundPolicies(live);
    const resolved = await confirmed(context, bound);
    if (resolved === undefined) return changedMeanwhile();
    const policies = toBind(resolved, bound);
    if (policies.length === 0) {
      if (live !== undefined) await vault.remove(path, signal);
      const none = `so Vault has no role "${name}"`;
      if (resolved.kept.length > 0) return waiting('PolicyNotReady', `No policy is Ready to be bound, ${none}`);
      return waiting('PolicyNotFound', `No policy is there to be bound, ${none}`, { event: 'PolicyNotFound' });
    }
    const given = { boundPolicies: policies.toSorted() };
    const desired = desiredRole(object, policies, needs.grant.maxTokenTtlSeconds);
    const difference = live === undefined ? '' : roleDifference(live, desired);
    const message = `Role "${name}"`;
    if (difference === undefined) return noop(given, { reason: 'Synced', message });
    await vault.write(path, desired, signal);
    const drift = driftOf(context, name, difference, bound);
    return done(given, {
      reason: 'Synced',
      message,
      wrote: `${message} ${difference}`,
      ...(drift === undefined ? written(name) : { drift: [drift] }),
    });
  });
}

/** What the caches say, where it leaves the role what it has; else what the API server says. */
async function confirmed(
  context: StepContext<VaultApp, Needs>,
  bound: readonly string[],
): Promise<ResolvedPolicies | undefined> {
  const { needs } = context;
  const policies = toBind(needs, bound);
  return bound.every((policy) => policies.includes(policy)) ? needs : resolveLive(context);
}

function toBind({ wanted, kept }: ResolvedPolicies, bound: readonly string[]): readonly string[] {
  return [...wanted, ...kept.filter((policy) => bound.includes(policy))];
}

function conflict(name: string): Outcome<never> {
  const message = `Vault has a role "${name}" for another namespace; it was left as it is. Remove it there`;
  return waiting('Conflict', message, { event: 'RoleConflict', requeueAfterMs: CONFLICT_MS });
}

/** What somebody changed in Vault since this very spec was in place there; other policies than before are our own doing. */
function driftOf(
  { object, previous }: StepContext<VaultApp, Needs>,
  name: string,
  difference: string,
  bound: readonly string[],
): Drift | undefined {
  if (previous?.status !== 'True' || previous.observedGeneration !== object.metadata.generation) return undefined;
  const before = object.status?.boundPolicies ?? [];
  const ownDoing = difference === 'token_policies' && JSON.stringify(bound.toSorted()) === JSON.stringify(before);
  if (ownDoing) return undefined;
  return { ref: { group: 'vault', kind: 'Role', name }, pointer: difference === '' ? '' : `/${difference}` };
}

function written(name: string) {
  const note = `Wrote role "${name}" to Vault`;
  return { notices: [{ type: 'Normal', reason: 'RoleWritten', action: 'Write', note }] } as const;
}
