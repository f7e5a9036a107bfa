import { type Outcome, VaultError, waiting } from '../../sdk/index.ts';

/** Rights and roles are changed by people: looked at again now and then. */
const DENIED_MS = 300_000;

/** Vault refused what was sent; another version, or another mount, may take it. */
const REJECTED_MS = 600_000;

/** Where no Vault is configured, only a restart changes it. */
const UNCONFIGURED_MS = 600_000;

/** Of an outage that names no time. */
const OUTAGE_MS = 10_000;

/**
 * Runs what asks Vault, and turns what Vault does not do into an outcome: each trouble has a reason of its own, and the wait lasts at
 * least as long as Vault's client knows that asking is in vain. What is no trouble of Vault is thrown on.
 */
export async function withVault<Value>(work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VaultError) return troubleOutcome(error);
    throw error;
  }
}

/** What a step says where this service was told of no Vault. */
export function notConfigured(): Outcome<never> {
  const message = 'This service was started without --vault-address; Vault is not asked';
  return waiting('VaultNotConfigured', message, { requeueAfterMs: UNCONFIGURED_MS });
}

/** The status that is awaited comes by the watch; what keeps it away, such as a CRD of before, is changed by people. */
const NOT_NOTED_MS = 60_000;

/** What a step says before its object's name in Vault is in the status: only then may anything be written there. */
export function nameNotNoted(): Outcome<never> {
  const message = 'The name in Vault is noted before anything is written';
  return { ...waiting('Progressing', message, { requeueAfterMs: NOT_NOTED_MS }), byEvent: true };
}

/** What a step says where the object that it acts for is not the one of its cache any more. */
export function changedMeanwhile(): Outcome<never> {
  const message = 'What this rests on has just changed; it is looked at again';
  return { ...waiting('Progressing', message, { requeueAfterMs: NOT_NOTED_MS }), byEvent: true };
}

function troubleOutcome({ trouble, message, retryAfterMs = 0 }: VaultError): Outcome<never> {
  const after = (floorMs: number) => ({ requeueAfterMs: Math.max(floorMs, retryAfterMs) });
  const outageMs = retryAfterMs === 0 ? OUTAGE_MS : retryAfterMs;
  switch (trouble) {
    case 'sealed':
      return waiting('VaultSealed', message, { requeueAfterMs: outageMs, event: 'VaultSealed' });
    case 'unreachable':
      return waiting('VaultUnreachable', message, { requeueAfterMs: outageMs, event: 'VaultUnreachable' });
    case 'limited':
      return waiting('RateLimited', message, { requeueAfterMs: outageMs });
    case 'denied':
      return waiting('PermissionDenied', message, { ...after(DENIED_MS), event: 'PermissionDenied' });
    case 'rejected':
      return waiting('Rejected', message, { ...after(REJECTED_MS), event: 'Rejected' });
  }
}
