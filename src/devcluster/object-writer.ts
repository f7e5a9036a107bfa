import { toTimestamp } from '../base/clock.ts';
import { jsonEqual } from '../base/json.ts';
import type { ObjectMeta, Unstructured } from '../base/object.ts';
import { apiVersionOf, formatKey, type ObjectKey } from '../base/resource.ts';
import type { AdmissionChain } from './admission-chain.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { Cluster } from './cluster.ts';
import { fieldSet, LEAF, NO_FIELDS } from './field-set.ts';
import { trackScale, trackUpdate, type Writer } from './managed-fields.ts';
import { normalize } from './object-decoder.ts';
import { generatedName, metaViolations } from './object-meta.ts';
import { isHeld, prepareUpdate, updateViolations } from './object-update.ts';
import { managerOf, type RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import { withSharedParts } from './shared-parts.ts';
import { alreadyExists, conflict, internalError, invalid, MODIFIED, notFound, StatusError } from './status-error.ts';

/** One change of an object that exists. */
export interface Change {
  readonly resource: ServedResource;
  readonly key: ObjectKey;
  readonly subresource: '' | 'status' | 'scale' | 'finalize';
  /** Makes the wanted state of the current one; run again when another write came between. May throw a StatusError. */
  readonly next: (current: Unstructured) => Unstructured;
  /** The result of `next` carries its own managedFields (server-side apply). */
  readonly tracked: boolean;
  /** Object that `next` starts from when there is none; absent: 404. */
  readonly createFrom?: Unstructured;
  /** Options of the request as the webhooks see them. */
  readonly options: object;
}

const ATTEMPTS = 20;

/** Writes objects through admission, validation and optimistic locking, as the API server's generic registry does. */
export class ObjectWriter {
  readonly #cluster: Cluster;
  readonly #admission: AdmissionChain;

  constructor(cluster: Cluster, admission: AdmissionChain) {
    this.#cluster = cluster;
    this.#admission = admission;
  }

  /** Creates an object that has been decoded. Its namespace is already the request's. */
  async create(
    resource: ServedResource,
    decoded: Unstructured,
    context: RequestContext,
    settings: { readonly tracked?: boolean; readonly options: object },
  ): Promise<Unstructured> {
    const { clock, random, storage } = this.#cluster;
    const tracked =
      settings.tracked === true ? decoded : this.#track(resource, emptyObject(resource), decoded, context, '');
    const request = this.#request(resource, context, settings.options, { operation: 'CREATE', object: tracked });
    const admitted = normalize(resource, (await this.#admission.mutate(request)) ?? tracked);
    const name = admitted.metadata.name || generated(admitted.metadata, (prefix) => generatedName(prefix, random));
    const prepared = prepareCreate(resource, admitted, {
      name,
      uid: random.uuid(),
      creationTimestamp: toTimestamp(clock.now()),
    });
    const found = [
      ...metaViolations(prepared.metadata, resource.strategy.nameRule),
      ...(resource.strategy.validateCreate?.(prepared) ?? []),
    ];
    if (found.length > 0) throw invalid(resource, name, found);
    await this.#admission.validate({ ...request, name, object: prepared });
    const key = formatKey({ ...prepared.metadata });
    if (storage.get(resource.storage, key) !== undefined) throw alreadyExists(resource, name);
    if (context.dryRun) return prepared;
    const stored = storage.create(resource.storage, resource.toStorage(prepared));
    if (stored === undefined) throw alreadyExists(resource, name);
    return resource.fromStorage(stored);
  }

  /** Changes an object; tries again when another write came between and the client did not name a resourceVersion. */
  async change(
    change: Change,
    context: RequestContext,
  ): Promise<{ readonly object: Unstructured; readonly created: boolean }> {
    const { resource, key } = change;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const current = this.#current(resource, key);
      if (current === undefined) {
        if (change.createFrom === undefined) throw notFound(resource, key.name);
        const wanted = change.next(change.createFrom);
        const settings = { tracked: change.tracked, options: { ...change.options, kind: 'CreateOptions' } };
        return { object: await this.create(resource, wanted, context, settings), created: true };
      }
      const written = await this.#changeOnce(change, current, context);
      if (written !== undefined) return { object: written, created: false };
    }
    throw conflict(resource, key.name, MODIFIED);
  }

  async #changeOnce(change: Change, current: Unstructured, context: RequestContext): Promise<Unstructured | undefined> {
    const { resource, key, subresource } = change;
    const wanted = withSharedParts(change.next(current), current);
    const version = wanted.metadata.resourceVersion;
    const conditional = version !== undefined && version !== '';
    if (conditional && version !== current.metadata.resourceVersion) throw conflict(resource, key.name, MODIFIED);
    const tracked = change.tracked ? wanted : this.#track(resource, current, wanted, context, subresource);
    const request = {
      ...this.#request(resource, context, change.options, { operation: 'UPDATE', object: tracked }),
      name: key.name,
      oldObject: current,
      subresource,
    };
    const mutated = await this.#admission.mutate(request);
    const admitted = mutated === undefined || mutated === tracked ? tracked : normalize(resource, mutated);
    const prepared = prepareUpdate(resource, admitted, current, subresource);
    const found = updateViolations(resource, prepared, current, subresource);
    if (found.length > 0) throw invalid(resource, key.name, found);
    await this.#admission.validate({ ...request, object: prepared });
    return this.#commit(resource, prepared, current, context.dryRun);
  }

  #commit(
    resource: ServedResource,
    next: Unstructured,
    current: Unstructured,
    dryRun: boolean,
  ): Unstructured | undefined {
    const { storage } = this.#cluster;
    const version = current.metadata.resourceVersion;
    const gone = next.metadata.deletionTimestamp !== undefined && !isHeld(next);
    if (jsonEqual(next, current) && !gone) return current;
    if (dryRun) return next;
    const key = formatKey({ ...next.metadata });
    const stored = gone
      ? storage.remove(resource.storage, key, version)
      : storage.replace(resource.storage, resource.toStorage(next), version);
    if (stored === undefined) return undefined;
    return gone
      ? { ...next, metadata: { ...next.metadata, resourceVersion: stored.metadata.resourceVersion } }
      : resource.fromStorage(stored);
  }

  #current(resource: ServedResource, key: ObjectKey): Unstructured | undefined {
    const stored = this.#cluster.storage.get(resource.storage, formatKey(key));
    return stored === undefined ? undefined : resource.fromStorage(stored);
  }

  #track(
    resource: ServedResource,
    live: Unstructured,
    updated: Unstructured,
    ...[context, subresource]: [RequestContext, string]
  ): Unstructured {
    const writer = writerOf(resource, context, { subresource, operation: 'Update', now: this.#cluster.clock.now() });
    const replicas = resource.scale?.specReplicas;
    if (subresource === 'scale' && replicas !== undefined) return trackScale(live, updated, writer, replicas);
    return trackUpdate(live, updated, writer, resource.typed);
  }

  #request(
    resource: ServedResource,
    context: RequestContext,
    options: object,
    about: Pick<AdmissionRequest, 'operation' | 'object'>,
  ): AdmissionRequest {
    const { info, user, dryRun, signal, warnings } = context;
    const name = about.object?.metadata.name ?? info.name;
    return {
      ...about,
      resource,
      subresource: '',
      namespace: info.namespace,
      name,
      user,
      dryRun,
      options,
      signal,
      warnings,
    };
  }
}

const SPEC = fieldSet(false, [['f:spec', LEAF]]);
const ALL_BUT_STATUS = fieldSet(false, [
  ['f:spec', LEAF],
  ['f:metadata', LEAF],
]);
const STATUS = fieldSet(false, [['f:status', LEAF]]);

/** The writer of a request, for managedFields. */
export function writerOf(
  resource: ServedResource,
  context: RequestContext,
  how: { readonly subresource: string; readonly operation: Writer['operation']; readonly now: number },
): Writer {
  const { subresource, operation } = how;
  const ofStatus = resource.custom ? ALL_BUT_STATUS : SPEC;
  const ofObject = resource.hasStatus ? STATUS : NO_FIELDS;
  return {
    manager: managerOf(context),
    operation,
    apiVersion: apiVersionOf(resource),
    subresource,
    time: toTimestamp(how.now),
    reset: subresource === 'status' ? ofStatus : ofObject,
  };
}

/** The object of a kind before anything was written to it. */
export function emptyObject(resource: ServedResource): Unstructured {
  const { kind, strategy } = resource;
  // It has no identity: it only serves as the left side of comparisons.
  return { ...strategy.emptyObject, apiVersion: apiVersionOf(resource), kind, metadata: {} } as unknown as Unstructured;
}

function generated(metadata: ObjectMeta, generate: (prefix: string) => string): string {
  const prefix = metadata.generateName ?? '';
  return prefix === '' ? '' : generate(prefix);
}

function prepareCreate(
  resource: ServedResource,
  object: Unstructured,
  identity: Pick<ObjectMeta, 'name' | 'uid' | 'creationTimestamp'>,
): Unstructured {
  const { deletionTimestamp: _d, generation: _g, resourceVersion, ...metadata } = object.metadata;
  if (resourceVersion !== undefined && resourceVersion !== '') {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const generation = resource.custom || resource.strategy.hasGeneration ? { generation: 1 } : {};
  // The resourceVersion is given by the storage.
  const withIdentity = { ...object, metadata: { ...metadata, ...identity, ...generation } } as Unstructured;
  const { status: _s, ...withoutStatus } = withIdentity;
  const reset = resource.custom && resource.hasStatus ? withoutStatus : withIdentity;
  if (reset.metadata.name === undefined) throw internalError('an object without a name reached the storage');
  return resource.strategy.prepareCreate?.(reset) ?? reset;
}
