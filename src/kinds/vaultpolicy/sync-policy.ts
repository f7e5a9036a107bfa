import {
  done,
  type Drift,
  noop,
  type Outcome,
  type Step,
  type StepContext,
  toTimestamp,
  waiting,
} from '../../sdk/index.ts';
import { meansTheSame } from '../vault/canonical-policy.ts';
import { isMarked, ownershipMarker, policyPath, TAKE_OWNERSHIP_ANNOTATION, vaultName } from '../vault/vault-names.ts';
import { nameNotNoted, notConfigured, withVault } from '../vault/vault-outcome.ts';
import type { AcceptedPolicy } from './accept-policy.ts';
import { removePolicy } from './remove-policy.ts';
import type { VaultPolicy } from './schema.ts';

/** Condition of the step that keeps Vault as it should be. */
export const SYNCED = 'Synced';

/** Nothing tells when somebody else's policy goes. */
const CONFLICT_MS = 600_000;

/** What the status tells of the policy in Vault. */
export interface SyncedPolicy {
  readonly policyHash: string;
  /** Present where something was written. */
  readonly lastChangedTime?: string;
}

/**
 * Step 2. Reads what Vault has and writes where it means something else. The name is in the status before the first write: an object
 * without it has never written anything, so that it can be deleted whatever state Vault is in (redhat-cop/vault-config-operator#23).
 */
export const syncPolicy: Step<VaultPolicy, AcceptedPolicy, SyncedPolicy> = {
  name: 'SyncPolicy',
  condition: SYNCED,
  apply: sync,
  remove: removePolicy,
};

function sync(
  context: StepContext<VaultPolicy, AcceptedPolicy>,
): Outcome<SyncedPolicy> | Promise<Outcome<SyncedPolicy>> {
  const { object, api, needs, signal, now } = context;
  const { vault } = api.outside;
  if (vault === undefined) return notConfigured();
  const { settings } = vault;
  const name = vaultName(settings, object);
  if (object.status?.policyName !== name) return nameNotNoted();
  const given = { policyHash: needs.hash };
  const message = `Policy "${name}"`;
  return withVault(async () => {
    const read = await vault.read(policyPath(name), signal);
    const text = read === undefined ? undefined : String(read['policy']);
    const marker = ownershipMarker(settings, object);
    if (text !== undefined && !isMarked(text, marker) && !takesOwnership(object)) return conflict(name);
    const rules = needs.content.rules.map(({ rule }) => rule);
    const isOurs = text !== undefined && isMarked(text, marker);
    if (isOurs && meansTheSame(text, rules)) {
      // Where the status does not know of it, a pass wrote it that was killed before it could say so.
      const isKnown = object.status?.policyHash === needs.hash;
      return noop(isKnown ? given : { ...given, lastChangedTime: toTimestamp(now) }, { reason: 'Synced', message });
    }
    await vault.write(policyPath(name), { policy: `${marker}\n${needs.content.body}` }, signal);
    const drift = driftOf(context, name, text);
    return done(
      { ...given, lastChangedTime: toTimestamp(now) },
      { reason: 'Synced', message, wrote: message, ...(drift === undefined ? written(name) : { drift: [drift] }) },
    );
  });
}

function takesOwnership({ metadata }: VaultPolicy): boolean {
  return metadata.annotations?.[TAKE_OWNERSHIP_ANNOTATION] === 'true';
}

function conflict(name: string): Outcome<never> {
  const message = `Vault has a policy "${name}" that is not this object's; it was left as it is. Remove it there, or set ${TAKE_OWNERSHIP_ANNOTATION}: "true"`;
  return waiting('Conflict', message, { event: 'PolicyConflict', requeueAfterMs: CONFLICT_MS });
}

/** What somebody changed in Vault since this very spec was in place there; `undefined` for a first write and a new spec. */
function driftOf(
  { object, previous }: StepContext<VaultPolicy, AcceptedPolicy>,
  name: string,
  text: string | undefined,
): Drift | undefined {
  if (previous?.status !== 'True' || previous.observedGeneration !== object.metadata.generation) return undefined;
  return { ref: { group: 'vault', kind: 'Policy', name }, pointer: text === undefined ? '' : '/policy' };
}

function written(name: string) {
  const note = `Wrote policy "${name}" to Vault`;
  return { notices: [{ type: 'Normal', reason: 'PolicyWritten', action: 'Write', note }] } as const;
}
