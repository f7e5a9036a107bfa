import {
  done,
  type KubeObject,
  noop,
  type ObserveContext,
  type Outcome,
  type VaultData,
  VaultError,
  type VaultSettings,
} from '../../sdk/index.ts';
import { SKIP_CLEANUP_ANNOTATION } from './vault-names.ts';
import { notConfigured, withVault } from './vault-outcome.ts';

/** What an object has in Vault, and how its owner is told. */
export interface Cleanup {
  /** The spec wants it to stay. */
  readonly retained: boolean;
  /** Whether the status has a name in Vault; without one nothing was ever written. */
  readonly named: boolean;
  /** Whether the status says that a write has succeeded. */
  readonly everWritten: boolean;
  /** Follows from the object alone: whoever can write a status must not choose what is deleted. */
  readonly path: (settings: VaultSettings) => string;
  readonly isOurs: (data: VaultData, settings: VaultSettings) => boolean;
  /** Reason of the Event that tells of the removal. */
  readonly event: string;
}

const SKIPPED = 'CleanupSkipped';

/**
 * Takes what an object has in Vault away. It needs nothing of the object's namespace, which may be on its way out; while Vault is down it
 * waits, and an annotation on the object ends that. What is not the object's stays.
 */
export function removeFromVault(context: ObserveContext<KubeObject>, cleanup: Cleanup): Outcome | Promise<Outcome> {
  const { object } = context;
  if (cleanup.retained || !cleanup.named) return noop(undefined);
  if (object.metadata.annotations?.[SKIP_CLEANUP_ANNOTATION] === 'true') {
    return skipped(`What this object has in Vault may stay there: ${SKIP_CLEANUP_ANNOTATION} gives the cleanup up`);
  }
  const taken = takeFromVault(context, cleanup);
  return taken instanceof Promise ? taken.then(withEscape) : withEscape(taken);
}

/** The same whatever the object's author wishes: neither a deletion policy nor an annotation keeps what an administrator revokes. */
export function takeFromVault(
  { api, signal }: ObserveContext<KubeObject>,
  cleanup: Pick<Cleanup, 'everWritten' | 'path' | 'isOurs' | 'event'>,
): Outcome | Promise<Outcome> {
  const { vault } = api.outside;
  if (vault === undefined) return notConfigured();
  return withVault(async () => {
    const at = cleanup.path(vault.settings);
    try {
      const found = await vault.read(at, signal);
      if (found === undefined || !cleanup.isOurs(found, vault.settings)) return noop(undefined);
      await vault.remove(at, signal);
    } catch (error) {
      const denied = error instanceof VaultError && error.trouble === 'denied';
      if (denied && !cleanup.everWritten) {
        return skipped(`Vault lets this service neither read nor write ${at}, and no write of it has succeeded`);
      }
      if (error instanceof VaultError && error.status === 405) {
        return skipped(`Vault does not let ${at} be deleted: ${error.message}`);
      }
      throw error;
    }
    const note = `Deleted ${at} from Vault`;
    return done(undefined, {
      wrote: `Vault ${at}`,
      notices: [{ type: 'Normal', reason: cleanup.event, action: 'Delete', note }],
    });
  });
}

function skipped(note: string): Outcome {
  return done(undefined, { notices: [{ type: 'Warning', reason: SKIPPED, action: 'Delete', note }] });
}

/** A deletion that waits says how to end the wait. */
function withEscape(outcome: Outcome): Outcome {
  if (outcome.type !== 'waiting') return outcome;
  const message = `${outcome.message}; to give the cleanup up, set ${SKIP_CLEANUP_ANNOTATION}: "true"`;
  return { ...outcome, message };
}
