import { isRecord, jsonEqual } from '../../src/base/json.ts';
import type { KubeObject, Manifest, Unstructured } from '../../src/base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../../src/base/resource.ts';
import { parseLabelSelector } from '../../src/devcluster/selectors.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import type { KubeClient, ObjectPage, Patch, Status, StatusCause } from '../../src/kube/client.ts';
import type { Lookup } from '../../src/rules/lookup.ts';
import type { IndexDeclaration } from '../../src/steps/slice.ts';
import { merge, without } from './memory-merge.ts';
import { type FieldOwner, leavesOf, ownersAfterApply, ownersAfterUpdate, toManagedFields } from './memory-fields.ts';

/** One request as the memory API saw it. */
export interface MemoryCall {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'apply' | 'delete';
  readonly resource: string;
  readonly key: string;
  readonly body?: unknown;
}

interface Stored {
  readonly type: ResourceType;
  readonly object: Unstructured;
  readonly owners: readonly FieldOwner[];
}

/**
 * An API server's memory for tests of the engine: resourceVersions, lists, generation, finalizers, status subresource, merge patch,
 * server-side apply with field ownership. Nothing else; whatever it does not know it refuses.
 */
export class MemoryApi {
  readonly calls: MemoryCall[] = [];
  /** Asked before each request is carried out; may throw what the client would reject with. */
  before: (call: MemoryCall) => void = () => undefined;
  /** Asked after each request was carried out: a throw here is an answer that got lost. */
  after: (call: MemoryCall) => void = () => undefined;
  /** Accepts applies to what exists and changes nothing, as an API server does that normalises a value back. */
  swallowApplies = false;
  /** Members of the status that the schema does not know. */
  prunedStatus: readonly string[] = [];
  /** Refuses unknown members of the status instead of dropping them (`fieldValidation=Strict`). */
  strict = false;
  readonly #objects = new Map<string, Stored>();
  #version = 100;
  #uids = 0;

  get writes(): readonly MemoryCall[] {
    return this.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  }

  /** Stores an object as its creator left it. */
  seed(type: ResourceType, manifest: Manifest, manager = 'kubectl'): Unstructured {
    return this.#create(type, manifest, [{ manager, operation: 'Update', leaves: new Set(leavesOf(manifest).keys()) }]);
  }

  /** Changes an object the way a person does. */
  edit(type: ResourceType, key: ObjectKey, change: (object: Unstructured) => object, manager = 'kubectl-edit'): void {
    const { object } = this.#stored(type, key, 'patch');
    this.#replace(type, object, change(object) as Unstructured, manager);
  }

  /** Stores another spelling of what is there, as the API server does with what it is sent: the fields keep their owners. */
  normalise(type: ResourceType, key: ObjectKey, change: (object: Unstructured) => object): void {
    const stored = this.#stored(type, key, 'patch');
    this.#store(type, change(stored.object) as Unstructured, stored.owners, stored);
  }

  /** Asks for deletion the way a person does. */
  remove(type: ResourceType, key: ObjectKey): void {
    this.#delete(type, key);
  }

  peek(type: ResourceType, key: ObjectKey): Unstructured | undefined {
    return this.#objects.get(storageKey(type, key))?.object;
  }

  all(type: ResourceType): readonly Unstructured[] {
    return [...this.#objects.values()]
      .filter((stored) => stored.type.plural === type.plural)
      .map(({ object }) => object);
  }

  /** The whole content, for comparing states; without versions, uids and times. */
  content(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      [...this.#objects].map(([key, { object }]) => {
        const { resourceVersion: _version, managedFields: _fields, uid: _uid, ...metadata } = object.metadata;
        return [key, { ...object, metadata }];
      }),
    );
  }

  /** Cached reads: of this moment, or of the moment `frozen` was called. */
  lookup(indexes: readonly IndexDeclaration[], manager: string): Lookup & { freeze(): void; thaw(): void } {
    let snapshot: ReadonlyMap<string, Stored> | undefined;
    const view = (): ReadonlyMap<string, Stored> => snapshot ?? this.#objects;
    const cached = ({ object }: Stored): Unstructured => {
      const { managedFields = [], ...metadata } = object.metadata;
      const kept = managedFields.filter((entry) => entry.manager === manager);
      return { ...object, metadata: { ...metadata, managedFields: kept } };
    };
    return {
      freeze: () => void (snapshot = new Map(this.#objects)),
      thaw: () => void (snapshot = undefined),
      get: <T extends KubeObject>(type: ResourceType, key: ObjectKey) => {
        const stored = view().get(storageKey(type, key));
        return stored === undefined ? undefined : (cached(stored) as KubeObject as T);
      },
      byIndex: <T extends KubeObject>(type: ResourceType, index: string, value: string) => {
        const declared = indexes.find((known) => known.name === index && known.type.plural === type.plural);
        if (declared === undefined) throw new Error(`No index ${index} on ${type.plural}`);
        const found = [...view().values()].filter((stored) => stored.type.plural === type.plural);
        return found.filter(({ object }) => declared.values(object).includes(value)).map(cached) as KubeObject[] as T[];
      },
    };
  }

  client(): KubeClient {
    const refuse = (): never => {
      throw new Error('The memory API does not do this');
    };
    return {
      get: (type, key, { signal }) =>
        this.#run({ verb: 'get', ...named(type, key) }, signal, () => this.#stored(type, key, 'get').object),
      create: (type, body, { signal, fieldManager = 'client' }) =>
        this.#run({ verb: 'create', ...named(type, keyOf(body)), body }, signal, () =>
          this.#create(type, body, [
            { manager: fieldManager, operation: 'Update', leaves: new Set(leavesOf(body).keys()) },
          ]),
        ),
      patch: (type, key, patch, { signal, fieldManager = 'client', subresource }) =>
        this.#run({ verb: 'patch', ...named(type, key, subresource), body: patch.body }, signal, () =>
          this.#patch(type, key, patch, { fieldManager, status: subresource === 'status' }),
        ),
      apply: (type, body, { signal, fieldManager }) =>
        this.#run({ verb: 'apply', ...named(type, keyOf(body)), body }, signal, () =>
          this.#apply(type, body, fieldManager),
        ),
      delete: (type, key, { signal, uid }) =>
        this.#run({ verb: 'delete', ...named(type, key) }, signal, () => this.#delete(type, key, uid)),
      list: (type, { labelSelector = '' }, { signal }) =>
        this.#run({ verb: 'list', ...named(type, { name: '' }) }, signal, () => this.#list(type, labelSelector)),
      watch: refuse,
      update: refuse,
      raw: refuse,
    };
  }

  #list(type: ResourceType, labelSelector: string): ObjectPage {
    const selects = parseLabelSelector(labelSelector);
    const items = this.all(type).filter(({ metadata }) => selects(metadata.labels ?? {}));
    return { items, resourceVersion: String(this.#version), continueToken: '' };
  }

  async #run<Answer>(call: MemoryCall, signal: AbortSignal, work: () => Answer): Promise<Answer> {
    await Promise.resolve();
    signal.throwIfAborted();
    this.calls.push(call);
    this.before(call);
    const answer = work();
    this.after(call);
    return answer;
  }

  #create(type: ResourceType, manifest: Manifest, owners: readonly FieldOwner[]): Unstructured {
    if (this.#objects.has(storageKey(type, keyOf(manifest))))
      throw refusal('create', type, manifest.metadata, { code: 409, reason: 'AlreadyExists' });
    this.#uids += 1;
    const metadata = { ...manifest.metadata, uid: `uid-${this.#uids}`, resourceVersion: '', generation: 1 };
    return this.#store(type, { ...manifest, metadata }, owners);
  }

  #patch(
    type: ResourceType,
    key: ObjectKey,
    patch: Patch,
    { fieldManager, status }: { readonly fieldManager: string; readonly status: boolean },
  ): Unstructured {
    if (patch.type !== 'merge') throw new Error('The memory API knows merge patches only');
    const { object } = this.#stored(type, key, 'patch');
    checkPreconditions(type, object, isRecord(patch.body['metadata']) ? patch.body['metadata'] : {});
    const merged = merge(object, patch.body) as Unstructured;
    if (!status) return this.#replace(type, object, { ...merged, ...statusOf(object) }, fieldManager);
    const { status: next } = merged;
    const members = isRecord(next) ? Object.entries(next) : [];
    const kept = members.filter(([name]) => !this.prunedStatus.includes(name));
    if (this.strict && kept.length < members.length) throw unknownMembers(type, key, this.prunedStatus);
    return this.#replace(type, object, { ...object, status: Object.fromEntries(kept) }, fieldManager);
  }

  #apply(type: ResourceType, manifest: Manifest, manager: string): Unstructured {
    const stored = this.#objects.get(storageKey(type, keyOf(manifest)));
    const { uid, ...rest } = manifest.metadata;
    if (stored === undefined) {
      if (uid !== undefined) throw refusal('apply', type, manifest.metadata, { code: 409, reason: 'Conflict' });
      return this.#create(type, { ...manifest, metadata: rest }, ownersAfterApply([], manager, {}, manifest).owners);
    }
    const { object } = stored;
    checkPreconditions(type, object, manifest.metadata);
    if (this.swallowApplies) return object;
    const { owners, dropped } = ownersAfterApply(stored.owners, manager, object, manifest);
    const cleared = [...dropped].reduce<unknown>(
      (value, pointer) => without(value, pointer.split('/').slice(1)),
      object,
    );
    const lists = merge(cleared, { ...manifest, metadata: rest }) as Unstructured;
    return this.#store(type, { ...lists, metadata: { ...object.metadata, ...lists.metadata } }, owners, stored);
  }

  #delete(type: ResourceType, key: ObjectKey, uid?: string): Unstructured | Status {
    const { object, owners } = this.#stored(type, key, 'delete');
    if (uid !== undefined && uid !== object.metadata.uid)
      throw refusal('delete', type, key, { code: 409, reason: 'Conflict' });
    if ((object.metadata.finalizers ?? []).length === 0) {
      this.#objects.delete(storageKey(type, key));
      this.#version += 1;
      return { kind: 'Status', status: 'Success' };
    }
    if (object.metadata.deletionTimestamp !== undefined) return object;
    const metadata = { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    return this.#store(type, { ...object, metadata }, owners);
  }

  #replace(type: ResourceType, before: Unstructured, after: Unstructured, manager: string): Unstructured {
    const stored = this.#stored(type, keyOf(before), 'patch');
    return this.#store(type, after, ownersAfterUpdate(stored.owners, manager, before, after), stored);
  }

  #store(type: ResourceType, object: Unstructured, owners: readonly FieldOwner[], before?: Stored): Unstructured {
    const { managedFields: _fields, ...metadata } = object.metadata;
    const managedFields = toManagedFields(owners) as NonNullable<KubeObject['metadata']['managedFields']>;
    const key = storageKey(type, keyOf(object));
    const specMoved = before !== undefined && !jsonEqual(contentOf(before.object), contentOf(object));
    const generation = (metadata.generation ?? 1) + (specMoved ? 1 : 0);
    const next = { ...object, metadata: { ...metadata, generation, managedFields } };
    if (before !== undefined && jsonEqual(before.object, next)) return before.object;
    this.#version += 1;
    const versioned = { ...next, metadata: { ...next.metadata, resourceVersion: String(this.#version) } };
    const finished = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (finished) this.#objects.delete(key);
    else this.#objects.set(key, { type, object: versioned, owners });
    return versioned;
  }

  #stored(type: ResourceType, key: ObjectKey, verb: string): Stored {
    const stored = this.#objects.get(storageKey(type, key));
    if (stored === undefined) throw refusal(verb, type, key, { code: 404, reason: 'NotFound' });
    return stored;
  }
}

/** An answer that is no success, as the API client rejects with it. */
export function refusal(
  verb: string,
  type: Pick<ResourceType, 'group' | 'plural'>,
  key: ObjectKey,
  answer: {
    readonly code: number;
    readonly reason: string;
    readonly message?: string;
    /** Resource the refusal is about, where it is another than the asked one. */
    readonly kind?: string;
    readonly causes?: readonly StatusCause[];
  },
): ApiError {
  const target = { verb, resource: groupResourceOf(type), key: formatKey(key) };
  const { code, reason, message = `${target.resource} "${key.name}": ${reason}`, causes = [], kind } = answer;
  return new ApiError(target, code, {
    kind: 'Status',
    code,
    reason,
    message,
    details: { name: key.name, causes, ...(kind === undefined ? {} : { kind }) },
  });
}

function unknownMembers(type: ResourceType, key: ObjectKey, names: readonly string[]): ApiError {
  const unknown = names.map((name) => `unknown field "status.${name}"`).join(', ');
  const message = `Invalid value: "{\\"kind\\":\\"Widget\\"}": strict decoding error: ${unknown}`;
  const causes = [{ reason: 'FieldValueInvalid', field: 'patch', message }];
  return refusal('patch', type, key, {
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: patch: ${message}`,
    causes,
  });
}

function checkPreconditions(type: ResourceType, object: Unstructured, sent: Readonly<Record<string, unknown>>): void {
  const differs = (name: 'uid' | 'resourceVersion'): boolean =>
    sent[name] !== undefined && sent[name] !== object.metadata[name];
  if (differs('resourceVersion')) throw refusal('patch', type, keyOf(object), { code: 409, reason: 'Conflict' });
  if (!differs('uid')) return;
  const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message: 'field is immutable' }];
  throw refusal('patch', type, keyOf(object), { code: 422, reason: 'Invalid', causes });
}

function contentOf({ metadata: _metadata, status: _status, ...content }: Unstructured): unknown {
  return content;
}

function statusOf(object: Unstructured): object {
  return 'status' in object ? { status: object['status'] } : {};
}

function named(type: ResourceType, key: ObjectKey, subresource?: string): Pick<MemoryCall, 'resource' | 'key'> {
  return { resource: subresource === undefined ? type.plural : `${type.plural}/${subresource}`, key: formatKey(key) };
}

function storageKey(type: Pick<ResourceType, 'plural'>, key: ObjectKey): string {
  return `${type.plural}/${formatKey(key)}`;
}
