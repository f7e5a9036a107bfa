import { type BackoffOptions, backoffMs } from '../base/backoff.ts';
import type { Random } from '../base/random.ts';
import { ApiError } from './api-error.ts';
import { TransportError } from './transport-error.ts';

/**
 * Whether a request may be sent again after a connection failed: reads always, writes only while it is certain that the server
 * never got them, watches never, since whoever holds the watch paces it.
 */
export type Repeat = 'always' | 'unsent' | 'never';

/** How a request has fared so far. */
export interface Attempts {
  readonly repeat: Repeat;
  /** Failed attempts, 1 after the first. */
  readonly failures: number;
  /** Time left before the call's deadline. */
  readonly remainingMs: number;
}

/** Retries that the server asked for through Retry-After; client-go's own bound. */
const MAX_ASKED_RETRIES = 10;

/** Retries after a broken connection: enough for a server that restarts its listener, short of hiding an outage. */
const MAX_CONNECTION_RETRIES = 4;

const BACKOFF: BackoffOptions = { baseMs: 100, capMs: 1000, jitter: 0.5 };

/**
 * Wait before a request is sent again, or `undefined` when its error is final: the error is of no passing kind, the retries are
 * used up, or the wait would outlast the deadline. 429 and 503 are repeated for every verb when they carry Retry-After: the
 * server says with it that it did not take the request up.
 */
export function retryDelayMs(error: unknown, attempts: Attempts, random: Random): number | undefined {
  const asked = askedDelayMs(error);
  if (attempts.failures > MAX_ASKED_RETRIES) return undefined;
  if (asked === undefined && !canReconnect(error, attempts)) return undefined;
  const delay = Math.max(asked ?? 0, backoffMs(attempts.failures - 1, BACKOFF, random));
  return delay < attempts.remainingMs ? delay : undefined;
}

function askedDelayMs(error: unknown): number | undefined {
  return error instanceof ApiError && (error.status === 429 || error.status === 503) ? error.retryAfterMs : undefined;
}

function canReconnect(error: unknown, { repeat, failures }: Attempts): boolean {
  if (!(error instanceof TransportError) || error.final || error.timedOut) return false;
  if (failures > MAX_CONNECTION_RETRIES) return false;
  return repeat === 'always' || (repeat === 'unsent' && !error.sent);
}
