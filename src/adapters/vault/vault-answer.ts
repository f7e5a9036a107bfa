import { unreachable } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { type VaultData, VaultError, type VaultTrouble } from '../../base/vault.ts';
import type { VaultAnswer } from './vault-transport.ts';

/** A server's sentence in a condition: enough to act on. */
const SHOWN_CHARACTERS = 256;

/** Rate quotas refill within seconds; a server that names no time gets this. */
const RATE_LIMIT_MS = 5000;

/** The body as an object; empty where there is none, as with 204. */
export function bodyOf({ body }: VaultAnswer): VaultData {
  if (body.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    // A login page or a proxy's error: what matters is the status.
    return {};
  }
}

/** The sentences of `errors`, joined; several errors come as one text with bullets. */
export function complaintOf(answer: VaultAnswer): string {
  const errors = bodyOf(answer)['errors'];
  const texts = Array.isArray(errors) ? errors.filter((text) => typeof text === 'string') : [];
  const joined = texts
    .join('; ')
    .replaceAll(/^\d+ errors? occurred:/gm, '')
    .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
    .trim();
  return joined.length <= SHOWN_CHARACTERS ? joined : `${joined.slice(0, SHOWN_CHARACTERS - 1)}…`;
}

/**
 * Only this means that nothing is there: an empty list of errors. A missing mount answers 404 as well, and says so; so does a proxy whose
 * Vault is away, with a page of its own.
 */
export function isAbsent(answer: VaultAnswer): boolean {
  const errors = bodyOf(answer)['errors'];
  return answer.status === 404 && Array.isArray(errors) && errors.length === 0;
}

/** The error that an answer means which is no success. `what` says what was tried: `read sys/policies/acl/x`. */
export function answerError(what: string, answer: VaultAnswer): VaultError {
  const trouble = troubleOf(answer);
  const complaint = complaintOf(answer);
  const why = complaint === '' ? `status ${answer.status}` : `${complaint} (${answer.status})`;
  const pause = trouble === 'limited' ? { retryAfterMs: retryAfterMs(answer) ?? RATE_LIMIT_MS } : {};
  return new VaultError(trouble, sentenceOf(trouble, what, why), { status: answer.status, ...pause });
}

/** An outage concerns everybody, so its sentence does not name what somebody wanted. */
function sentenceOf(trouble: VaultTrouble, what: string, why: string): string {
  switch (trouble) {
    case 'sealed':
      return SEALED;
    case 'unreachable':
      return `Vault cannot serve: ${why}`;
    case 'limited':
      return `Vault asks to wait: ${why}`;
    case 'denied':
      return `Vault denies this service the right to ${what}: ${why}`;
    case 'rejected':
      return `Vault refuses to ${what}: ${why}`;
    default:
      return unreachable(trouble);
  }
}

const SEALED = 'Vault is sealed; unseal it';

function troubleOf({ status, body }: VaultAnswer): VaultTrouble {
  if (status === 429) return 'limited';
  if (status === 403 || status === 401) return 'denied';
  if (status === 503 && body.includes('Vault is sealed')) return 'sealed';
  return status >= 500 || status === 412 || (status >= 300 && status < 400) ? 'unreachable' : 'rejected';
}

function retryAfterMs({ headers }: VaultAnswer): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** What the answer to a health probe says is wrong, `undefined` when requests can be served. */
export function healthProblem(answer: VaultAnswer): VaultError | undefined {
  const { status } = answer;
  // 429 and 473 are standbys, which lead requests to the active node.
  if (status === 200 || status === 429 || status === 473) return undefined;
  if (status === 503) return new VaultError('sealed', SEALED, { status });
  const known = HEALTH[status];
  return new VaultError('unreachable', known ?? `Vault answered its health check with status ${status}`, { status });
}

const HEALTH: Readonly<Record<number, string>> = {
  472: 'This Vault is a disaster recovery secondary and serves nobody; name the primary with --vault-address',
  474: 'This Vault is a standby that knows of no active node',
  501: 'Vault is not initialised; initialise and unseal it',
  530: 'This Vault node was removed from its cluster; name another with --vault-address',
};
