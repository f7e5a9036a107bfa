import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, keyOf, type ObjectKey } from '../base/resource.ts';
import type { Authorizer } from './authorization.ts';
import type { Cluster } from './cluster.ts';
import { type ApiResponse, jsonResponse, objectResponse } from './exchange.ts';
import { readListOptions } from './list-options.ts';
import { decodeObject, parseBody, requireJsonBody } from './object-decoder.ts';
import { type ObjectDeleter, readDeletion } from './object-deleter.ts';
import { emptyObject, type ObjectWriter } from './object-writer.ts';
import { type PatchRequest, readPatch } from './patch-request.ts';
import { type Presentation, present, presentList } from './printing.ts';
import type { RequestContext } from './request-context.ts';
import { parseFieldSelector, parseLabelSelector } from './selectors.ts';
import type { ServedResource } from './served-resource.ts';
import { badRequest, conflict, invalid, statusBody } from './status-error.ts';
import { violation } from './builtin-strategies.ts';

/** What answering writes needs. */
export interface WritePorts {
  readonly cluster: Cluster;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly authorizer: Authorizer;
}

/** Subresources that are written like the object itself. */
export type WrittenPart = '' | 'status' | 'finalize';

/** Answers create, update, patch, delete and deletecollection. */
export class WriteHandler {
  readonly #ports: WritePorts;

  constructor(ports: WritePorts) {
    this.#ports = ports;
  }

  async create(resource: ServedResource, context: RequestContext, as: Presentation): Promise<ApiResponse> {
    requireJsonBody(context.headers);
    const object = this.#decode(resource, context);
    this.#ports.authorizer.requireGrant(resource, object, context);
    const options = optionsOf('CreateOptions', context);
    const created = await this.#ports.writer.create(resource, object, context, { options });
    return this.#answer(201, created, { resource, context, as });
  }

  async update(
    resource: ServedResource,
    context: RequestContext,
    ...[as, part]: [Presentation, WrittenPart]
  ): Promise<ApiResponse> {
    requireJsonBody(context.headers);
    const { name } = context.info;
    const object = this.#decode(resource, context);
    if (object.metadata.name !== name) {
      const given = object.metadata.name ?? '';
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    }
    const version = object.metadata.resourceVersion ?? '';
    const current = this.#ports.cluster.storage.get(resource.storage, formatKey(keyOf(object)));
    if (version === '' && !resource.strategy.unconditionalUpdate && current !== undefined)
      throw versionRequired(resource, name);
    if (version !== '' && current === undefined && resource.strategy.createOnUpdate) {
      throw conflict(
        resource,
        name,
        `StorageError: invalid object, Code: 4, Key: ${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: , UID in object meta: `,
      );
    }
    this.#ports.authorizer.requireGrant(resource, object, context);
    const change = {
      resource,
      key: keyIn(resource, context),
      subresource: part,
      next: () => object,
      tracked: false,
      ...(resource.strategy.createOnUpdate && part === '' ? { createFrom: emptyObject(resource) } : {}),
      options: optionsOf('UpdateOptions', context),
    };
    const { object: written, created } = await this.#ports.writer.change(change, context);
    return this.#answer(created ? 201 : 200, written, { resource, context, as });
  }

  async patch(
    resource: ServedResource,
    context: RequestContext,
    ...[as, part]: [Presentation, WrittenPart]
  ): Promise<ApiResponse> {
    const patch: PatchRequest = readPatch(resource, context, { part, now: this.#ports.cluster.clock.now() });
    const next = (current: Unstructured): Unstructured => {
      const wanted = patch.next(current);
      this.#ports.authorizer.requireGrant(resource, wanted, context);
      return wanted;
    };
    const change = {
      resource,
      key: keyIn(resource, context),
      subresource: part,
      next,
      tracked: patch.applies,
      ...(patch.applies && part === '' ? { createFrom: emptyObject(resource) } : {}),
      options: optionsOf('UpdateOptions', context),
    };
    const { object, created } = await this.#ports.writer.change(change, context);
    return this.#answer(created ? 201 : 200, object, { resource, context, as });
  }

  async delete(resource: ServedResource, context: RequestContext): Promise<ApiResponse> {
    const deletion = readDeletion(this.#deleteOptions(context), context.query);
    const { object, gone } = await this.#ports.deleter.delete(resource, keyIn(resource, context), deletion, context);
    if (!gone || resource.strategy.returnsDeleted) return jsonResponse(200, object);
    const { name, uid } = object.metadata;
    const details = { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural, uid };
    const body = statusBody({ status: 'Success', details });
    return jsonResponse(200, body);
  }

  async deleteCollection(resource: ServedResource, context: RequestContext, as: Presentation): Promise<ApiResponse> {
    const { cluster, deleter } = this.#ports;
    const options = readListOptions(context.query, false);
    const labels = parseLabelSelector(options.labelSelector);
    const fields = parseFieldSelector(options.fieldSelector, resource);
    const deletion = readDeletion(this.#deleteOptions(context), context.query);
    const found = cluster.storage
      .list(resource.storage, context.info.namespace)
      .filter((object) => labels(object.metadata.labels ?? {}) && fields(object));
    const items: Unstructured[] = [];
    for (const object of found) items.push((await deleter.delete(resource, keyOf(object), deletion, context)).object);
    const metadata = { resourceVersion: String(cluster.storage.revision) };
    return jsonResponse(200, presentList(items, metadata, as, this.#print(resource, context)));
  }

  #deleteOptions({ body }: RequestContext): Readonly<Record<string, unknown>> {
    return body.trim() === '' ? {} : parseBody(body, 'DeleteOptions');
  }

  #decode(resource: ServedResource, context: RequestContext): Unstructured {
    const raw = parseBody(context.body, resource.kind);
    const meta = isRecord(raw['metadata']) ? raw['metadata'] : {};
    return decodeObject(resource, { ...raw, metadata: { ...meta, ...placeOf(resource, meta, context) } }, context);
  }

  #answer(
    status: number,
    object: Unstructured,
    { resource, context, as }: { resource: ServedResource; context: RequestContext; as: Presentation },
  ): ApiResponse {
    return objectResponse(status, present(object, as, this.#print(resource, context)));
  }

  #print(resource: ServedResource, { query }: RequestContext) {
    return { resource, includeObject: query.get('includeObject') ?? 'Metadata', now: this.#ports.cluster.clock.now() };
  }
}

/** The key a request's path names. */
export function keyIn(resource: ServedResource, { info }: RequestContext): ObjectKey {
  return resource.namespaced ? { namespace: info.namespace, name: info.name } : { name: info.name };
}

/** 422 for a PUT that must name the version it replaces. */
export function versionRequired(resource: ServedResource, name: string): Error {
  // This one error names the resource where every other 422 names the kind.
  const type = { group: resource.group, kind: resource.plural };
  return invalid(type, name, [
    violation('FieldValueInvalid', ['metadata', 'resourceVersion'], 0, 'must be specified for an update'),
  ]);
}

function placeOf(resource: ServedResource, meta: Readonly<Record<string, unknown>>, { info }: RequestContext): object {
  if (!resource.namespaced) return {};
  const given = meta['namespace'];
  if (given !== undefined && given !== '' && given !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { namespace: info.namespace };
}

/** The options object of a request, as webhooks see it. */
export function optionsOf(kind: string, { query, dryRun }: RequestContext): object {
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager === null ? {} : { fieldManager }),
    ...(fieldValidation === null ? {} : { fieldValidation }),
  };
}
