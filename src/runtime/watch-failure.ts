import { HomeostatError } from '../base/errors.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import { ApiError } from '../kube/api-error.ts';
import {
  isExpired,
  isForbidden,
  isKindNotServed,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
} from '../kube/api-error-predicates.ts';
import type { Status } from '../kube/client.ts';
import { CredentialError, TransportError, UntrustedServerError } from '../kube/transport-error.ts';
import { WatchFrameError } from '../kube/watch-frames.ts';

/**
 * What a failed list or watch means for the reflector, and the label of its metrics:
 *
 * - `expired`: the resourceVersion is older than what the server keeps. List anew.
 * - `too-large`: the server has not come to the resourceVersion yet. List without one.
 * - `throttled`, `unanswered`, `unauthenticated`, `untrusted`: nothing is known to be lost. Wait, then ask the same again.
 * - `not-served`: no such resource, its CRD is not installed. Wait and look again.
 * - `forbidden`: no right.
 * - `unauthenticated`: no credential, or one that the server does not accept.
 * - `untrusted`: the certificate of the server is not trusted.
 * - `unsupported`: the server does not understand the request.
 * - `unreadable`: a stored object cannot be decoded any more; only a list shows what is left (StoreReadError).
 * - `internal`: the server's own error in the middle of a watch.
 * - `very-short`: the stream ended at once and empty.
 * - `other`: anything else.
 */
export type WatchFailure =
  | 'expired'
  | 'too-large'
  | 'throttled'
  | 'unanswered'
  | 'not-served'
  | 'forbidden'
  | 'unauthenticated'
  | 'untrusted'
  | 'unsupported'
  | 'unreadable'
  | 'internal'
  | 'very-short'
  | 'other';

/**
 * A watch ended at once and empty. Code `HOMEOSTAT_WATCH_VERY_SHORT`; an overloaded server or a proxy that cannot stream is the
 * usual reason.
 */
export class VeryShortWatch extends HomeostatError {
  constructor(type: ResourceType) {
    const resource = groupResourceOf(type);
    super('HOMEOSTAT_WATCH_VERY_SHORT', `The watch of ${resource} ended at once without a frame; it is listed anew`);
  }
}

/** Statuses by which old servers, aggregated servers and proxies refuse what they do not know. */
const UNSUPPORTED: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

/** Reads the failure of a request or of a stream. */
export function watchFailureOf(error: unknown): WatchFailure {
  if (isExpired(error)) return 'expired';
  if (isTooLargeResourceVersion(error)) return 'too-large';
  if (isTooManyRequests(error)) return 'throttled';
  if (isKindNotServed(error)) return 'not-served';
  if (isForbidden(error)) return 'forbidden';
  if (isUnauthorized(error)) return 'unauthenticated';
  if (!(error instanceof ApiError)) return withoutAnswer(error);
  if (UNSUPPORTED.has(error.status)) return 'unsupported';
  if (error.status !== 500) return 'other';
  return error.causes.some((cause) => cause.reason === 'StoreReadError') ? 'unreadable' : 'internal';
}

function withoutAnswer(error: unknown): WatchFailure {
  if (error instanceof UntrustedServerError) return 'untrusted';
  if (error instanceof CredentialError) return 'unauthenticated';
  if (error instanceof TransportError || error instanceof WatchFrameError) return 'unanswered';
  return error instanceof VeryShortWatch ? 'very-short' : 'other';
}

/** The error of an ERROR frame, so that a failure within a stream is judged exactly as one at its opening. */
export function frameError(type: ResourceType, status: Status): ApiError {
  return new ApiError({ verb: 'watch', resource: groupResourceOf(type), key: '' }, status.code ?? 500, status);
}
