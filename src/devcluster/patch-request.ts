import { canonicalJson, isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { applyJsonPatch, PatchFailure } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { violation } from './builtin-strategies.ts';
import { decodeObject } from './object-decoder.ts';
import { emptyObject, writerOf } from './object-writer.ts';
import { type RawObject, textAt, withMember } from './raw-json.ts';
import type { RequestContext } from './request-context.ts';
import { isTrue } from './request-info.ts';
import { serverSideApply } from './server-side-apply.ts';
import type { ServedResource } from './served-resource.ts';
import { badRequest, invalid, notImplemented, StatusError } from './status-error.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

/** A patch that has been read. */
export interface PatchRequest {
  /** It is a server-side apply: the result carries its managedFields, and an absent object is created. */
  readonly applies: boolean;
  readonly next: (current: Unstructured) => Unstructured;
}

const KUBECTL = 'kubectl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** Reads the patch of a request. Throws 415 for a media type the resource does not take. */
export function readPatch(
  resource: ServedResource,
  context: RequestContext,
  how: { readonly part: string; readonly now: number },
): PatchRequest {
  const type = (context.headers['content-type'] ?? '').split(';')[0]?.trim();
  switch (type) {
    case JSON_PATCH:
      return { applies: false, next: (current) => decoded(resource, jsonPatched(current, context.body), context) };
    case MERGE: {
      const patch = patchObject(context.body);
      return { applies: false, next: (current) => decoded(resource, applyMergePatch(current, patch), context) };
    }
    case STRATEGIC: {
      if (resource.custom) throw unsupportedType([JSON_PATCH, MERGE, APPLY]);
      const patch = patchObject(context.body);
      return {
        applies: false,
        next: (current) => decoded(resource, applyStrategicPatch(current, patch, resource.typed), context),
      };
    }
    case APPLY:
      return applyRequest(resource, context, how);
    default:
      throw unsupportedType(resource.custom ? [JSON_PATCH, MERGE, APPLY] : [JSON_PATCH, MERGE, STRATEGIC, APPLY]);
  }
}

function applyRequest(
  resource: ServedResource,
  context: RequestContext,
  { part, now }: { readonly part: string; readonly now: number },
): PatchRequest {
  const manager = context.query.get('fieldManager') ?? '';
  if (manager === '') {
    const missing = violation('FieldValueRequired', ['fieldManager'], undefined, 'is required for apply patch');
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [missing]);
  }
  const applied = appliedObject(resource, context);
  const writer = writerOf(resource, context, { subresource: part, operation: 'Apply', now });
  const force = isTrue(context.query.get('force'));
  const empty = emptyObject(resource);
  return {
    applies: true,
    next: (current) => {
      const live = current.metadata.uid === undefined ? empty : current;
      const merged = serverSideApply({ live, empty, applied, writer, force, schema: resource.typed });
      if (merged === live) return live;
      const synced = manager === KUBECTL ? withLastApplied(live, merged, applied) : merged;
      return decoded(resource, placed(resource, synced, context), context);
    },
  };
}

function appliedObject(resource: ServedResource, { body, info }: RequestContext): Unstructured {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    throw notImplemented('apply patches are read as JSON, which is also YAML; send JSON');
  }
  if (!isRecord(raw)) throw badRequest('error decoding YAML: a JSON object is expected');
  const metadata = isRecord(raw['metadata']) ? raw['metadata'] : {};
  const { creationTimestamp: _c, ...given } = metadata;
  if (given['name'] !== undefined && given['name'] !== info.name) {
    throw badRequest(
      `the name of the object (${textAt(given, 'name')}) does not match the name on the URL (${info.name})`,
    );
  }
  if (resource.namespaced && given['namespace'] !== undefined && given['namespace'] !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  // Only the fields that are sent belong to the configuration, so it is not defaulted; identity comes from the path.
  return { ...raw, metadata: { ...given, name: info.name } } as unknown as Unstructured;
}

/** The server keeps the annotation of client-side apply in step, as long as an object has it and kubectl applies. */
function withLastApplied(live: Unstructured, merged: Unstructured, applied: Unstructured): Unstructured {
  if (live.metadata.annotations?.[LAST_APPLIED] === undefined) return merged;
  const { [LAST_APPLIED]: _, ...others } = applied.metadata.annotations ?? {};
  const annotations = Object.keys(others).length === 0 ? undefined : others;
  const text = `${canonicalJson({ ...applied, metadata: { ...applied.metadata, annotations } })}\n`;
  return withMember(merged, ['metadata', 'annotations', LAST_APPLIED], text);
}

function placed(resource: ServedResource, object: Unstructured, { info }: RequestContext): Unstructured {
  if (!resource.namespaced) return object;
  return { ...object, metadata: { ...object.metadata, namespace: info.namespace } };
}

function jsonPatched(current: Unstructured, body: string): unknown {
  let patch: unknown;
  try {
    patch = JSON.parse(body);
  } catch {
    throw badRequest('error decoding patch: it is not JSON');
  }
  try {
    return applyJsonPatch(current, patch);
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    const text = 'the server rejected our request due to an error in our request';
    throw new StatusError(422, 'Invalid', text, { details: {} });
  }
}

function patchObject(body: string): RawObject {
  try {
    const patch: unknown = JSON.parse(body);
    if (isRecord(patch)) return patch;
  } catch {
    // Falls through to the one refusal.
  }
  throw badRequest('error decoding patch: it is not a JSON object');
}

function decoded(resource: ServedResource, patched: unknown, context: RequestContext): Unstructured {
  if (!isRecord(patched)) throw badRequest('the patched object is not a JSON object');
  return decodeObject(resource, patched, context);
}

function unsupportedType(accepted: readonly string[]): StatusError {
  const text = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', text);
}
