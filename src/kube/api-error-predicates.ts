import { ApiError } from './api-error.ts';
import { TransportError } from './transport-error.ts';

/** The object, or the resource itself, is not there. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'NotFound';
}

/**
 * The 404 is about the resource type: its CRD or API group is not installed. The API server names no object then, and for an
 * unknown group it answers plain text.
 */
export function isKindNotServed(error: unknown): error is ApiError {
  return isNotFound(error) && error.details.name === undefined;
}

/** The 404 is about the namespace that a create named. */
export function isNamespaceMissing(error: unknown): error is ApiError {
  return isNotFound(error) && error.details.kind === 'namespaces' && !/^namespaces(?:\/|$)/.test(error.resource);
}

/** 409 under a resourceVersion precondition, or a field conflict of an apply. Never AlreadyExists. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'Conflict';
}

/** 409 of a server-side apply: other managers own the fields; the causes name them. */
export function isFieldManagerConflict(error: unknown): error is ApiError {
  return isConflict(error) && error.causes.some((cause) => cause.reason === 'FieldManagerConflict');
}

/** A create met an object of that name. */
export function isAlreadyExists(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

/** Access is refused, or an admission plugin refused with 403. */
export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'Forbidden';
}

/** The credentials were refused, also after they had been renewed. */
export function isUnauthorized(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'Unauthorized';
}

/** A create was refused because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): error is ApiError {
  return error instanceof ApiError && error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/** 422: the object breaks its schema or a validation; the causes name the fields. */
export function isInvalid(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'Invalid';
}

/** 400: the request itself cannot be read. Unknown fields are reported this way under strict field validation. */
export function isBadRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && error.reason === 'BadRequest';
}

/** 410: the resourceVersion or continue token is older than what the server keeps. List anew. */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.reason === 'Expired' || error.reason === 'Gone' || error.status === 410);
}

/** The server wants fewer requests; `retryAfterMs` says when. */
export function isTooManyRequests(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}

/**
 * The server has not reached the asked resourceVersion yet. Servers spell it in three ways: a cause with the reason
 * ResourceVersionTooLarge (1.19 and later), a Timeout whose cause says so in words (1.18), a Timeout whose message does (1.17)
 * (kubernetes/kubernetes#91073).
 */
export function isTooLargeResourceVersion(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  if (error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  if (error.reason !== 'Timeout') return false;
  return [error.statusMessage, ...error.causes.map((cause) => cause.message ?? '')].some((text) =>
    text.includes('Too large resource version'),
  );
}

/** Nobody can say whether the request was carried out: the server gave up on it, or no answer came in time. */
export function isTimeout(error: unknown): error is ApiError | TransportError {
  if (error instanceof TransportError) return error.timedOut;
  return error instanceof ApiError && (error.reason === 'Timeout' || error.reason === 'ServerTimeout');
}

/** Name of the admission webhook that denied the request; `undefined` when the error is no such denial. */
export function denyingWebhook(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return /^admission webhook "([^"]+)" denied the request/.exec(error.statusMessage)?.[1];
}
