import { HomeostatError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { applyMergePatch } from '../devcluster/merge-patch.ts';
import { ApiError } from '../kube/api-error.ts';
import { isForbidden, isNotFound } from '../kube/api-error-predicates.ts';
import type { CallOptions, KubeClient, Patch, Status, WriteOptions } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';

/** One object before and after what was planned. */
export interface PlannedChange {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly before?: Unstructured;
  readonly after?: Unstructured;
}

/**
 * A client that sends no write: it asks the API server for a dry run, whose answer holds the server's own defaults and refusals, and
 * notes it. What depends on something that was only planned (a child in a namespace that is not there yet) is made up from the
 * manifest, as is what the user may read and not write. Reads see what was planned.
 */
export class PlanningClient implements KubeClient {
  readonly #client: KubeClient;
  readonly #planned = new Map<
    string,
    { readonly type: ResourceType; readonly key: ObjectKey; object?: Unstructured }
  >();
  readonly #before = new Map<string, Unstructured | undefined>();
  /** Objects whose own bookkeeping (status, finalizer) is no part of the plan. */
  readonly #subjects = new Set<string>();
  readonly watch: KubeClient['watch'] = () => Promise.reject(refused('watch'));
  readonly raw: KubeClient['raw'] = () => Promise.reject(refused('call a bare path'));

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** What has come together so far, in the order in which it was first touched. */
  get changes(): readonly PlannedChange[] {
    return [...this.#before].flatMap(([id, before]) => {
      const planned = this.#planned.get(id);
      if (planned === undefined) return [];
      const { type, key, object: after } = planned;
      return [{ type, key, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
    });
  }

  /** Plans the object a person would apply; what its controller notes on it later is left out. */
  subject(type: ResourceType, before: Unstructured | undefined, after: Unstructured): void {
    const id = idOf(type, keyOf(after));
    this.#subjects.add(id);
    this.#before.set(id, before);
    this.#planned.set(id, { type, key: keyOf(after), object: after });
  }

  /** The object as planned, else as it is; `undefined` where there is none. */
  find(type: ResourceType, key: ObjectKey, signal: AbortSignal): Promise<Unstructured | undefined> {
    return findObject(this, type, key, { signal });
  }

  async get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured> {
    const planned = this.#planned.get(idOf(type, key));
    if (planned === undefined) return this.#client.get(type, key, options);
    if (planned.object !== undefined) return planned.object;
    const target = { verb: 'get', resource: groupResourceOf(type), key: formatKey(key) };
    throw new ApiError(target, 404, {
      code: 404,
      reason: 'NotFound',
      message: `${target.resource} "${key.name}" not found`,
    });
  }

  list: KubeClient['list'] = (type, query, options) => this.#client.list(type, query, options);

  create(type: ResourceType, object: Manifest, options: WriteOptions): Promise<Unstructured> {
    return this.#plan(type, keyOf(object), {
      ask: () => this.#client.create(type, object, { ...options, dryRun: true }),
      imagine: () => object,
      signal: options.signal,
    });
  }

  update(type: ResourceType, object: KubeObject | Manifest, options: WriteOptions): Promise<Unstructured> {
    return this.#plan(type, keyOf(object), {
      ask: () => this.#client.update(type, object, { ...options, dryRun: true }),
      imagine: () => object,
      signal: options.signal,
    });
  }

  apply: KubeClient['apply'] = (type, object, options) =>
    this.#plan(type, keyOf(object), {
      ask: () => this.#client.apply(type, object, { ...options, dryRun: true }),
      imagine: (before) => applyMergePatch(before, object),
      signal: options.signal,
    });

  async patch(type: ResourceType, key: ObjectKey, patch: Patch, options: WriteOptions): Promise<Unstructured> {
    const id = idOf(type, key);
    const imagine = (before: unknown): unknown =>
      patch.type === 'merge' ? applyMergePatch(before, patch.body) : before;
    const planned = this.#planned.get(id);
    if (this.#subjects.has(id) && planned?.object !== undefined) {
      const own = complete(imagine(planned.object));
      planned.object = options.subresource === 'status' ? { ...planned.object, status: own['status'] } : own;
      return planned.object;
    }
    const ask = (): Promise<Unstructured> => this.#client.patch(type, key, patch, { ...options, dryRun: true });
    return this.#plan(type, key, { ask, imagine, signal: options.signal });
  }

  async delete(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Status> {
    const before = await this.find(type, key, options.signal);
    this.#note(type, key, before, undefined);
    return { kind: 'Status', status: 'Success' };
  }

  async #plan(
    type: ResourceType,
    key: ObjectKey,
    write: {
      readonly ask: () => Promise<Unstructured>;
      readonly imagine: (before: unknown) => unknown;
      readonly signal: AbortSignal;
    },
  ): Promise<Unstructured> {
    const before = await this.find(type, key, write.signal);
    const known = this.#planned.has(idOf(type, key));
    const after = known ? complete(write.imagine(before)) : await this.#asked(write, before);
    this.#note(type, key, before, after);
    return after;
  }

  async #asked(
    write: { ask: () => Promise<Unstructured>; imagine: (before: unknown) => unknown },
    before: unknown,
  ): Promise<Unstructured> {
    try {
      return await write.ask();
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return complete(write.imagine(before));
      throw error;
    }
  }

  #note(type: ResourceType, key: ObjectKey, before: Unstructured | undefined, after: Unstructured | undefined): void {
    const id = idOf(type, key);
    if (!this.#before.has(id)) this.#before.set(id, before);
    this.#planned.set(id, { type, key, ...(after === undefined ? {} : { object: after }) });
  }
}

/** An object that no server has seen has no identity of its own; steps may read one. */
function complete(object: unknown): Unstructured {
  // What was merged here is a manifest, or an object of the server with one merged in.
  const manifest = object as Manifest & JsonObject;
  return { ...manifest, metadata: { uid: 'planned', resourceVersion: '0', generation: 1, ...manifest.metadata } };
}

function idOf(type: ResourceType, key: ObjectKey): string {
  return `${groupResourceOf(type)} ${formatKey(key)}`;
}

function refused(what: string): HomeostatError {
  return new HomeostatError(
    'HOMEOSTAT_PLAN_UNSUPPORTED',
    `A plan cannot ${what}: the step that does so cannot be planned`,
  );
}
