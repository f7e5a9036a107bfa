import type { OwnerReference, Unstructured } from '../base/object.ts';
import { formatKey, keyOf, parseKey } from '../base/resource.ts';
import type { Cluster } from './cluster.ts';
import { ControlLoop } from './control-loop.ts';
import { controllerContext } from './controller-context.ts';
import { trackUpdate } from './managed-fields.ts';
import type { Deletion, ObjectDeleter } from './object-deleter.ts';
import { isHeld } from './object-update.ts';
import { writerOf } from './object-writer.ts';
import type { ServedResource } from './served-resource.ts';
import type { StoredEvent } from './watch-cache.ts';

const CONTROLLER = 'system:serviceaccount:kube-system:generic-garbage-collector';
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/**
 * Deletes objects whose owners are all gone, frees the dependents of an object deleted with the policy Orphan, and holds one
 * deleted with the policy Foreground until the dependents that block it are gone.
 */
export class GarbageCollector {
  readonly #cluster: Cluster;
  readonly #deleter: ObjectDeleter;
  readonly #loop: ControlLoop;
  /** Addresses (`storage|key`) of the objects that name an owner, by the owner's uid. */
  readonly #dependents = new Map<string, Set<string>>();

  constructor(cluster: Cluster, deleter: ObjectDeleter) {
    this.#cluster = cluster;
    this.#deleter = deleter;
    this.#loop = new ControlLoop(cluster, 'garbage', (address) => this.#sync(address));
    // What the cluster begins with is known, and looked at when something happens to it: a state is taken at rest.
    for (const resource of cluster.storage.resources()) {
      for (const object of cluster.storage.list(resource)) this.#index(resource, object);
    }
    cluster.watches.subscribeAll({ event: (event) => this.#hear(event) });
  }

  close(): void {
    this.#loop.close();
  }

  #hear({ type, resource, object, previous }: StoredEvent): void {
    const address = `${resource}|${formatKey(keyOf(object))}`;
    const owners = object.metadata.ownerReferences ?? [];
    for (const { uid } of previous?.metadata.ownerReferences ?? []) this.#dependents.get(uid)?.delete(address);
    if (type === 'DELETED') {
      this.#hearOfEnd(object, owners);
      return;
    }
    this.#index(resource, object);
    if (object.metadata.deletionTimestamp !== undefined || owners.length > 0) this.#loop.add(address);
  }

  /** Puts down which owners an object names. */
  #index(resource: string, object: Unstructured): void {
    const address = `${resource}|${formatKey(keyOf(object))}`;
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const set = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, set.add(address));
    }
  }

  #hearOfEnd(object: Unstructured, owners: readonly OwnerReference[]): void {
    for (const dependent of this.#dependents.get(object.metadata.uid) ?? []) this.#loop.add(dependent);
    this.#dependents.delete(object.metadata.uid);
    for (const owner of owners) this.#addOwner(owner, object);
  }

  async #sync(address: string): Promise<void> {
    const [table = '', key = ''] = address.split('|');
    const object = this.#cluster.storage.get(table, key);
    const resource = this.#cluster.registry.stored().find(({ storage }) => storage === table);
    if (object === undefined || resource === undefined) return;
    const finalizers = object.metadata.finalizers ?? [];
    if (object.metadata.deletionTimestamp !== undefined) {
      if (finalizers.includes(ORPHAN)) this.#orphan(resource, object);
      else if (finalizers.includes(FOREGROUND)) await this.#foreground(resource, object);
      return;
    }
    const owners = object.metadata.ownerReferences ?? [];
    const states = owners.map((owner) => this.#stateOf(owner, object));
    if (owners.length === 0 || states.includes('unknown')) return;
    const goneOwners = owners.filter((_owner, index) => states[index] === 'gone');
    if (goneOwners.length === owners.length) await this.#delete(resource, object, 'Background');
    else if (goneOwners.length > 0) this.#withoutOwners(resource, object, goneOwners);
  }

  /** `unknown` when nothing serves the owner's kind: then nothing is deleted. */
  #stateOf(owner: OwnerReference, dependent: Unstructured): 'there' | 'gone' | 'unknown' {
    const resource = this.#cluster.registry.findKind(owner.apiVersion, owner.kind);
    if (resource === undefined) return 'unknown';
    const namespace = resource.namespaced ? dependent.metadata.namespace : undefined;
    const key = formatKey(namespace === undefined ? { name: owner.name } : { namespace, name: owner.name });
    return this.#cluster.storage.get(resource.storage, key)?.metadata.uid === owner.uid ? 'there' : 'gone';
  }

  #addOwner(owner: OwnerReference, dependent: Unstructured): void {
    const resource = this.#cluster.registry.findKind(owner.apiVersion, owner.kind);
    if (resource === undefined) return;
    const namespace = resource.namespaced ? dependent.metadata.namespace : undefined;
    this.#loop.add(
      `${resource.storage}|${formatKey(namespace === undefined ? { name: owner.name } : { namespace, name: owner.name })}`,
    );
  }

  #dependentsOf(owner: Unstructured): readonly { resource: ServedResource; object: Unstructured }[] {
    return [...(this.#dependents.get(owner.metadata.uid) ?? [])].flatMap((address) => {
      const [table = '', key = ''] = address.split('|');
      const object = this.#cluster.storage.get(table, key);
      const resource = this.#cluster.registry.stored().find(({ storage }) => storage === table);
      return object === undefined || resource === undefined ? [] : [{ resource, object }];
    });
  }

  #orphan(resource: ServedResource, owner: Unstructured): void {
    for (const { resource: table, object } of this.#dependentsOf(owner)) {
      const own = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid === owner.metadata.uid);
      this.#withoutOwners(table, object, own);
    }
    this.#withoutFinalizer(resource, owner, ORPHAN);
  }

  async #foreground(resource: ServedResource, owner: Unstructured): Promise<void> {
    const dependents = this.#dependentsOf(owner);
    for (const { resource: table, object } of dependents) {
      if (object.metadata.deletionTimestamp === undefined) await this.#delete(table, object, 'Foreground');
    }
    const blocking = this.#dependentsOf(owner).filter(({ object }) =>
      (object.metadata.ownerReferences ?? []).some(
        ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
      ),
    );
    if (blocking.length === 0) this.#withoutFinalizer(resource, owner, FOREGROUND);
  }

  async #delete(resource: ServedResource, object: Unstructured, propagation: Deletion['propagation']): Promise<void> {
    const { uid, namespace = '' } = object.metadata;
    const deletion = { uid, resourceVersion: '', propagation };
    await this.#deleter.delete(
      resource,
      parseKey(formatKey(keyOf(object))),
      deletion,
      controllerContext(CONTROLLER, resource, namespace),
    );
  }

  #withoutOwners(resource: ServedResource, object: Unstructured, gone: readonly OwnerReference[]): void {
    const uids = new Set(gone.map(({ uid }) => uid));
    const { ownerReferences = [], ...metadata } = object.metadata;
    const left = ownerReferences.filter(({ uid }) => !uids.has(uid));
    const next = { ...object, metadata: left.length === 0 ? metadata : { ...metadata, ownerReferences: left } };
    const live = resource.fromStorage(object);
    const how = { subresource: '', operation: 'Update', now: this.#cluster.clock.now() } as const;
    const writer = writerOf(resource, controllerContext(CONTROLLER, resource, ''), how);
    const tracked = trackUpdate(live, resource.fromStorage(next), writer, resource.typed);
    this.#cluster.storage.replace(resource.storage, resource.toStorage(tracked), object.metadata.resourceVersion);
  }

  #withoutFinalizer(resource: ServedResource, object: Unstructured, finalizer: string): void {
    const { storage } = this.#cluster;
    const current = storage.get(resource.storage, formatKey(keyOf(object)));
    if (current === undefined) return;
    const { finalizers = [], ...metadata } = current.metadata;
    const left = finalizers.filter((name) => name !== finalizer);
    const next = { ...current, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } };
    const version = current.metadata.resourceVersion;
    if (isHeld(next)) storage.replace(resource.storage, next, version);
    else storage.remove(resource.storage, formatKey(keyOf(current)), version);
  }
}
