import { HomeostatError } from '../base/errors.ts';
import { type FieldPath, formatPath } from '../base/field-path.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import { type Violation, violationText } from '../base/violation.ts';
import type { Status, StatusCause } from '../kube/client.ts';

/** What an object-related status needs to know of its resource. */
export type ResourceOf = Pick<ResourceType, 'group' | 'plural'>;

/** What a kind-related status needs to know. */
export type KindOf = Pick<ResourceType, 'group' | 'kind'>;

/** metav1.Status with the members that lists and expired tokens add. */
export interface StatusBody extends Status {
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
}

/** A request failed the way the API server fails it: the Status is the answer's body. Code `HOMEOSTAT_DEVCLUSTER_STATUS`. */
export class StatusError extends HomeostatError {
  readonly status: StatusBody & { readonly code: number };

  constructor(
    code: number,
    reason: string,
    message: string,
    rest: Omit<StatusBody, 'code' | 'reason' | 'message'> = {},
  ) {
    super('HOMEOSTAT_DEVCLUSTER_STATUS', message);
    this.status = { message, ...(reason === '' ? {} : { reason }), ...rest, code };
  }
}

/** The Status as it stands on the wire. */
export function statusBody(status: StatusBody): object {
  const { metadata = {}, status: outcome = 'Failure', message, reason, details, code } = status;
  return { kind: 'Status', apiVersion: 'v1', metadata, status: outcome, message, reason, details, code };
}

/** 404 for one object. */
export function notFound(type: ResourceOf, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${groupResourceOf(type)} "${name}" not found`, {
    details: about(type, name),
  });
}

/** 404 for a path that no resource serves. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', { details: {} });
}

/** 405: the resource is served, the verb is not. */
export function methodNotAllowed(): StatusError {
  const text = 'the server does not allow this method on the requested resource';
  return new StatusError(405, 'MethodNotAllowed', text, { details: {} });
}

/** 409 for a name that is taken. */
export function alreadyExists(type: ResourceOf, name: string): StatusError {
  const text = `${groupResourceOf(type)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', text, { details: about(type, name) });
}

/** 409 for a lost race or a failed precondition. */
export function conflict(type: ResourceOf, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const text = `Operation cannot be fulfilled on ${groupResourceOf(type)} "${name}": ${why}`;
  const details = { ...about(type, name), ...(causes === undefined ? {} : { causes }) };
  return new StatusError(409, 'Conflict', text, { details });
}

/** The text of a lost optimistic lock. */
export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** 403, by authorization or by an admission plugin. */
export function forbidden(type: ResourceOf, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const text = `${groupResourceOf(type)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`;
  const details = { ...about(type, name), ...(causes === undefined ? {} : { causes }) };
  return new StatusError(403, 'Forbidden', text, { details });
}

/** 422 with one cause per violation. At least one violation is needed. */
export function invalid(type: KindOf, name: string, violations: readonly Violation[]): StatusError {
  const texts = violations.map((violation) => `${causeField(violation.path)}: ${causeText(violation)}`);
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const list = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const causes = violations.map((violation) => ({
    reason: violation.type,
    message: causeText(violation),
    field: causeField(violation.path),
  }));
  const details = {
    ...(name === '' ? {} : { name }),
    ...groupOf(type),
    ...(type.kind === '' ? {} : { kind: type.kind }),
    causes,
  };
  return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${list}`, { details });
}

/** 400: the request itself is malformed. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** 410: the version asked for is no longer in the history. */
export function expired(message: string, metadata?: StatusBody['metadata']): StatusError {
  return new StatusError(410, 'Expired', message, metadata === undefined ? {} : { metadata });
}

/** 500 with the API server's prefix. */
export function internalError(why: string): StatusError {
  const details = { causes: [{ message: why }] };
  return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, { details });
}

/** 501: this development cluster does not do what a real API server would; it never guesses. */
export function notImplemented(sentence: string): StatusError {
  return new StatusError(501, 'NotImplemented', `The development cluster cannot do this: ${sentence}`);
}

function about(type: ResourceOf, name: string): { name?: string; group?: string; kind: string } {
  return { ...(name === '' ? {} : { name }), ...groupOf(type), kind: type.plural };
}

function groupOf(type: { readonly group: string }): { group?: string } {
  return type.group === '' ? {} : { group: type.group };
}

/** The violation with its whole value: the API server does not shorten values in Status messages. */
function causeText(violation: Violation): string {
  const text = violationText(violation);
  const value = JSON.stringify(violation.value ?? null);
  if (violation.value === undefined || text.includes(value)) return text;
  const { value: _, ...rest } = violation;
  const bare = violationText(rest);
  const word = violation.detail === '' ? bare : bare.slice(0, -`: ${violation.detail}`.length);
  const quoted = word === 'Required value' || word === 'Forbidden';
  return quoted ? text : [word, value, ...(violation.detail === '' ? [] : [violation.detail])].join(': ');
}

function causeField(path: FieldPath): string {
  const text = formatPath(path);
  return text === '' ? '<nil>' : text;
}
