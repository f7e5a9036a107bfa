import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { apiVersionOf } from '../base/resource.ts';
import { decodeMeta } from './object-meta.ts';
import { omitEmpty } from './omit-empty.ts';
import type { RawObject } from './raw-json.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import { badRequest, notImplemented } from './status-error.ts';

/** Reads a request body as JSON. 415 and 501 are for other encodings, 400 for broken JSON. */
export function parseBody(body: string, kind: string): RawObject {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const shown = body.length > 100 ? `${body.slice(0, 100)}...` : body;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${JSON_ERROR} (${shown})`,
    );
  }
  if (isRecord(value)) return value;
  throw badRequest(`the object provided is unrecognized (must be of type ${kind}): a JSON object is expected`);
}

const JSON_ERROR = 'unexpected end of JSON input';

/** Refuses bodies this server cannot read. */
export function requireJsonBody(headers: Readonly<Record<string, string>>): void {
  const type = (headers['content-type'] ?? 'application/json').split(';')[0]?.trim();
  if (type === 'application/json' || type === '') return;
  throw notImplemented(`bodies are read as application/json, not as ${String(type)}`);
}

/**
 * Turns raw JSON into an object the way the API server decodes one: type and version are checked, unknown fields dropped (or
 * reported, as `fieldValidation` asks), defaults filled in. The result's metadata may still lack name and uid.
 */
export function decodeObject(resource: ServedResource, raw: RawObject, context: RequestContext): Unstructured {
  const apiVersion = apiVersionOf(resource);
  const given = { apiVersion: raw['apiVersion'] ?? apiVersion, kind: raw['kind'] ?? resource.kind };
  checkType(resource, raw, given);
  const { meta, unknown, wrong } = decodeMeta(raw['metadata']);
  if (wrong.length > 0) throw undecodable(resource, `the metadata field ${wrong.join(', ')} has the wrong type`);
  // Name and uid are filled in later; every reader until then treats them as possibly empty.
  const object = { ...raw, ...given, metadata: meta } as unknown as Unstructured;
  reportUnknown(resource, [...unknown, ...resource.compiled.unknownFields(object)], context);
  return normalize(resource, object);
}

/** Prunes, defaults and completes an object that came from a client or was changed by a patch or webhook. */
export function normalize(resource: ServedResource, object: Unstructured): Unstructured {
  const prepared = resource.compiled.prepare(object);
  if (resource.custom) return prepared;
  const wrong = resource.compiled.violations(prepared).find(({ type }) => type === 'FieldValueTypeInvalid');
  if (wrong !== undefined) throw undecodable(resource, `json: ${wrong.detail}`);
  // Dropping empty members keeps an object an object.
  const written = omitEmpty(prepared, resource.compiled.root) as Unstructured;
  return resource.strategy.complete?.(written) ?? written;
}

function checkType(resource: ServedResource, raw: RawObject, given: { apiVersion: unknown; kind: unknown }): void {
  const version = apiVersionOf(resource);
  if (resource.custom && typeof raw['kind'] !== 'string')
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(raw).slice(0, 200)}'`);
  if (given.apiVersion !== version) {
    throw badRequest(
      `the API version in the data (${String(given.apiVersion)}) does not match the expected API version (${version})`,
    );
  }
  if (given.kind === resource.kind) return;
  if (resource.custom) {
    throw badRequest(
      `${String(given.kind)} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: the kind differs`,
    );
  }
  const internal = resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '');
  throw badRequest(
    `${String(given.kind)} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: converting (${resource.version}.${String(given.kind)}) to (${internal}.${resource.kind}): unknown conversion`,
  );
}

function reportUnknown(resource: ServedResource, unknown: readonly string[], context: RequestContext): void {
  if (unknown.length === 0) return;
  const texts = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  switch (context.query.get('fieldValidation') ?? 'Warn') {
    case 'Strict':
      throw undecodable(resource, `strict decoding error: ${texts.join(', ')}`);
    case 'Ignore':
      return;
    default:
      for (const text of texts) context.warnings.add(text);
  }
}

function undecodable(resource: ServedResource, why: string): Error {
  const version = JSON.stringify(resource.version);
  return badRequest(`${resource.kind} in version ${version} cannot be handled as a ${resource.kind}: ${why}`);
}
