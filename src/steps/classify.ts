import { errorText } from '../base/errors.ts';
import { type Terminal, type Transient, terminal, transient, type Waiting, waiting } from '../base/outcome.ts';
import { AnswerError, ApiError } from '../kube/api-error.ts';
import {
  denyingWebhook,
  isAlreadyExists,
  isConflict,
  isExpired,
  isFieldManagerConflict,
  isForbidden,
  isNamespaceTerminating,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
} from '../kube/api-error-predicates.ts';
import { TransportError } from '../kube/transport-error.ts';
import { CacheNotSynced } from '../rules/lookup.ts';
import { LeaseLost } from '../runtime/lease-guard.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import { NotYetVisible } from './read-after-create.ts';

/** An outcome that holds the chain. */
export type Halt = Waiting | Transient | Terminal;

/** Rights are granted by people and nothing tells us when: looked at again at this interval (bug class B-79: never a hot loop). */
const FORBIDDEN_RECHECK_MS = 5 * 60_000;

/** A policy that refuses today is changed by people too; the engine doubles this up to 15 minutes. */
const DENIED_RECHECK_MS = 60_000;

/** A namespace goes when its content does; the watch tells, and this is the floor where no watch selects it. */
const TERMINATING_RECHECK_MS = 30_000;

/** The pass has waited for 2 s already; the watch may well be faster. */
const NOT_YET_VISIBLE_RECHECK_MS = 1000;

/** A foreign object is outside our label-selected watches, so its going wakes nobody. */
const NAME_TAKEN_RECHECK_MS = 5 * 60_000;

/** A server's sentence in a condition: enough to act on. */
const SHOWN_CHARACTERS = 256;

/**
 * The one table that says what anything thrown comes to. What ends with the signal, or lost a race, leaves no trace; what the
 * API server refuses is told apart by who has to act on it; what nobody foresaw is a bug and says so.
 */
export function classify(error: unknown, signal: AbortSignal): Halt {
  if (signal.aborted) {
    return transient(ENGINE_REASONS.retrying, 'The pass was cut off', { cause: error, silent: true });
  }
  if (error instanceof CacheNotSynced || error instanceof LeaseLost) {
    return transient(ENGINE_REASONS.retrying, error.message, { cause: error, silent: true });
  }
  if (error instanceof NotYetVisible) {
    return waiting(ENGINE_REASONS.progressing, error.message, { requeueAfterMs: NOT_YET_VISIBLE_RECHECK_MS });
  }
  if (error instanceof TransportError || error instanceof AnswerError) {
    return transient(ENGINE_REASONS.apiUnavailable, shown(error), { cause: error });
  }
  if (error instanceof ApiError) return classifyAnswer(error);
  return terminal(ENGINE_REASONS.bug, `An error of this program: ${shown(error)}`, { cause: error });
}

function classifyAnswer(answer: ApiError): Halt {
  const message = shown(answer);
  const cause = answer;
  // The predicates are type guards: on an ApiError their negation would leave nothing to ask.
  const error: unknown = answer;
  if (denyingWebhook(error) !== undefined) {
    const { denied } = ENGINE_REASONS;
    return waiting(denied, message, { requeueAfterMs: DENIED_RECHECK_MS, event: denied });
  }
  if (isFieldManagerConflict(error)) return terminal(ENGINE_REASONS.fieldConflict, message, { cause });
  if (isConflict(error) || isUidMismatch(answer))
    return transient(ENGINE_REASONS.retrying, message, { cause, silent: true });
  if (isAlreadyExists(error)) {
    const { nameTaken } = ENGINE_REASONS;
    return waiting(nameTaken, message, { requeueAfterMs: NAME_TAKEN_RECHECK_MS, event: nameTaken });
  }
  if (isNamespaceTerminating(error)) {
    return waiting(ENGINE_REASONS.namespaceTerminating, message, { requeueAfterMs: TERMINATING_RECHECK_MS });
  }
  if (isForbidden(error)) {
    const { forbidden } = ENGINE_REASONS;
    return waiting(forbidden, message, { requeueAfterMs: FORBIDDEN_RECHECK_MS, event: forbidden });
  }
  if (isNotFound(error) || isExpired(error)) return transient(ENGINE_REASONS.retrying, message, { cause });
  if (isUnauthorized(error) || isTooManyRequests(error) || answer.status === 408 || answer.status >= 500) {
    const retryAfter = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs };
    return transient(ENGINE_REASONS.apiUnavailable, message, { cause, ...retryAfter });
  }
  return terminal(ENGINE_REASONS.rejected, message, { cause });
}

/** The API server answers a uid that is another object's by now with 422, since the uid of an object cannot change. */
function isUidMismatch(error: ApiError): boolean {
  return error.causes.some(({ field }) => field === 'metadata.uid');
}

/** A refused value may be a whole object (strict decoding of a patch): what is wrong with it stands behind it. */
const LONG_VALUE = /Invalid value: "(?:[^"\\]|\\.){80,}"/g;

/** Every group of our own account, which the escalation check of RBAC names before the right that is missing. */
const GROUPS = / \(groups=\[[^\]]*\]\)/g;

function shown(error: unknown): string {
  const text = errorText(error).replaceAll(LONG_VALUE, 'Invalid value').replaceAll(GROUPS, '');
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS - 1)}…`;
}
