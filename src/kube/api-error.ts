import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { Status, StatusCause, StatusDetails } from './client.ts';

/** What was asked, as far as an error message needs it. */
export interface RequestTarget {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `apply`, `delete`, or an HTTP method for a bare path. */
  readonly verb: string;
  /** `configmaps`, `environments.homeostat.io/status`, or a bare path. */
  readonly resource: string;
  /** `namespace/name`, a namespace, or empty. */
  readonly key: string;
}

/** The API server's own sentence is kept up to this length: an error is read by people and kept in logs. */
const MAX_MESSAGE_CHARACTERS = 1000;

/**
 * A refused value may be a whole object: strict decoding of a patch quotes it, validation prints it. What is wrong with it stands
 * behind it, and an object has no place in an error, where it would end in logs and conditions.
 */
const LONG_VALUE = /Invalid value: (?:"(?:[^"\\]|\\.){80,}"|[{[].{80,}?[}\]](?=: ))/gs;

/**
 * The API server answered, and the answer is not a success. The message holds the request and the sentence of the server's
 * Status, without quoted objects and cut at 1000 characters, as its causes are; a body that is no Status never gets into it. Codes: `HOMEOSTAT_API_` and the reason in
 * capitals (`HOMEOSTAT_API_NOT_FOUND`), listed in docs/errors.
 */
export class ApiError extends HomeostatError {
  /** HTTP status. */
  readonly status: number;
  /** metav1.StatusReason, derived from the HTTP status where the answer had none. */
  readonly reason: string;
  /** The server's own sentence, without the request; empty when the answer was no Status. */
  readonly statusMessage: string;
  readonly details: StatusDetails;
  readonly causes: readonly StatusCause[];
  /** How long the server asked to wait, from the Retry-After header or the Status. */
  readonly retryAfterMs: number | undefined;
  readonly verb: string;
  readonly resource: string;
  readonly key: string;

  constructor(target: RequestTarget, httpStatus: number, status: Status, retryAfterMs?: number) {
    const reason = status.reason ?? reasonOf(httpStatus);
    const statusMessage = cut(withoutObjects(status.message ?? ''));
    const what = `${target.verb} ${target.resource}${target.key === '' ? '' : ` ${target.key}`}`;
    super(
      codeOf(reason),
      `${what}: ${statusMessage === '' ? 'no reason given' : statusMessage} (${httpStatus} ${reason})`,
    );
    this.name = 'ApiError';
    this.status = httpStatus;
    this.reason = reason;
    this.statusMessage = statusMessage;
    const { causes = [], ...details } = status.details ?? {};
    this.causes = causes.map(({ message, ...cause }) =>
      message === undefined ? cause : { ...cause, message: cut(withoutObjects(message)) },
    );
    this.details = { ...details, causes: this.causes };
    const seconds = this.details.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (seconds === undefined || seconds <= 0 ? undefined : seconds * 1000);
    this.verb = target.verb;
    this.resource = target.resource;
    this.key = target.key;
  }
}

/**
 * The answer was a success but not what was asked for: no JSON, another kind, a Table. Code `HOMEOSTAT_API_ANSWER`. A proxy or
 * a login page between this process and the API server is the usual reason.
 */
export class AnswerError extends HomeostatError {
  constructor(target: RequestTarget, what: string) {
    const subject = `${target.verb} ${target.resource}${target.key === '' ? '' : ` ${target.key}`}`;
    super(
      'HOMEOSTAT_API_ANSWER',
      `${subject}: the answer ${what}. Check that the server address leads to an API server.`,
    );
    this.name = 'AnswerError';
  }
}

/** Reads a Status out of an error's body; anything else gives an empty Status, so that no foreign text gets into messages. */
export function parseStatus(body: string): Status {
  try {
    return toStatus(JSON.parse(body));
  } catch {
    return {};
  }
}

/** The members of a Status that are of the right type; an empty Status when the value is of another kind. */
export function toStatus(value: unknown): Status {
  if (!isRecord(value) || value['kind'] !== 'Status') return {};
  const details = value['details'];
  return {
    kind: 'Status',
    ...(typeof value['code'] === 'number' ? { code: value['code'] } : {}),
    ...textMember(value, 'reason'),
    ...textMember(value, 'message'),
    ...(value['status'] === 'Success' || value['status'] === 'Failure' ? { status: value['status'] } : {}),
    ...(isRecord(details) ? { details: toDetails(details) } : {}),
  };
}

/** Milliseconds of a Retry-After header: seconds or an HTTP date (RFC 9110 10.2.3). `undefined` when absent or past. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return ms > 0 ? ms : undefined;
}

function toDetails(value: Readonly<Record<string, unknown>>): StatusDetails {
  const causes = value['causes'];
  const seconds = value['retryAfterSeconds'];
  return {
    ...textMember(value, 'name'),
    ...textMember(value, 'group'),
    ...textMember(value, 'kind'),
    ...textMember(value, 'uid'),
    ...(Array.isArray(causes) ? { causes: causes.filter(isRecord).map(toCause) } : {}),
    ...(typeof seconds === 'number' ? { retryAfterSeconds: seconds } : {}),
  };
}

function toCause(value: Readonly<Record<string, unknown>>): StatusCause {
  return { ...textMember(value, 'reason'), ...textMember(value, 'message'), ...textMember(value, 'field') };
}

function textMember<Name extends string>(
  value: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [N in Name]?: string } {
  const member = value[name];
  // The computed key is exactly Name; TypeScript widens it to string.
  return (typeof member === 'string' ? { [name]: member } : {}) as { readonly [N in Name]?: string };
}

/** Reasons by HTTP status, as apimachinery gives them to an answer that is no Status (errors.NewGenericServerResponse). */
function reasonOf(httpStatus: number): string {
  switch (httpStatus) {
    case 400:
      return 'BadRequest';
    case 401:
      return 'Unauthorized';
    case 403:
      return 'Forbidden';
    case 404:
      return 'NotFound';
    case 405:
      return 'MethodNotAllowed';
    case 406:
      return 'NotAcceptable';
    case 409:
      return 'Conflict';
    case 410:
      return 'Gone';
    case 413:
      return 'RequestEntityTooLarge';
    case 415:
      return 'UnsupportedMediaType';
    case 422:
      return 'Invalid';
    case 429:
      return 'TooManyRequests';
    case 500:
      return 'InternalError';
    case 503:
      return 'ServiceUnavailable';
    case 504:
      return 'Timeout';
    default:
      return 'Unknown';
  }
}

/** Only known reasons become codes: the list of codes is documented and must not grow with what servers invent. */
const CODES: Readonly<Record<string, string>> = {
  BadRequest: 'HOMEOSTAT_API_BAD_REQUEST',
  Unauthorized: 'HOMEOSTAT_API_UNAUTHORIZED',
  Forbidden: 'HOMEOSTAT_API_FORBIDDEN',
  NotFound: 'HOMEOSTAT_API_NOT_FOUND',
  MethodNotAllowed: 'HOMEOSTAT_API_METHOD_NOT_ALLOWED',
  NotAcceptable: 'HOMEOSTAT_API_NOT_ACCEPTABLE',
  AlreadyExists: 'HOMEOSTAT_API_ALREADY_EXISTS',
  Conflict: 'HOMEOSTAT_API_CONFLICT',
  Gone: 'HOMEOSTAT_API_GONE',
  Expired: 'HOMEOSTAT_API_EXPIRED',
  RequestEntityTooLarge: 'HOMEOSTAT_API_REQUEST_TOO_LARGE',
  UnsupportedMediaType: 'HOMEOSTAT_API_UNSUPPORTED_MEDIA_TYPE',
  Invalid: 'HOMEOSTAT_API_INVALID',
  TooManyRequests: 'HOMEOSTAT_API_TOO_MANY_REQUESTS',
  InternalError: 'HOMEOSTAT_API_INTERNAL',
  ServiceUnavailable: 'HOMEOSTAT_API_UNAVAILABLE',
  Timeout: 'HOMEOSTAT_API_TIMEOUT',
  ServerTimeout: 'HOMEOSTAT_API_TIMEOUT',
};

function codeOf(reason: string): string {
  return (Object.hasOwn(CODES, reason) ? CODES[reason] : undefined) ?? 'HOMEOSTAT_API_ERROR';
}

function withoutObjects(text: string): string {
  return text.replaceAll(LONG_VALUE, 'Invalid value');
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE_CHARACTERS ? text : `${text.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
}
