import { toTimestamp } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import { formatKey, type ObjectKey } from '../base/resource.ts';
import type { AdmissionChain } from './admission-chain.ts';
import type { Cluster } from './cluster.ts';
import { CRD_CLEANUP } from './crd-controller.ts';
import { isHeld } from './object-update.ts';
import { memberAt, type RawObject, recordAt, textAt } from './raw-json.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import { conflict, MODIFIED, notFound } from './status-error.ts';

/** What a DELETE asks for (metav1.DeleteOptions). */
export interface Deletion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly propagation: 'Foreground' | 'Background' | 'Orphan';
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
const ATTEMPTS = 20;

/** Reads DeleteOptions from a body, with the query as second source. */
export function readDeletion(options: RawObject, query: URLSearchParams): Deletion {
  const policy = textAt(options, 'propagationPolicy') || (query.get('propagationPolicy') ?? '');
  const orphan = memberAt(options, ['orphanDependents']) === true || policy === 'Orphan';
  return {
    uid: textAt(options, 'preconditions', 'uid'),
    resourceVersion: textAt(options, 'preconditions', 'resourceVersion'),
    propagation: orphan ? 'Orphan' : policy === 'Foreground' ? 'Foreground' : 'Background',
  };
}

/** Deletes objects: at once, or by marking them while finalizers hold them. */
export class ObjectDeleter {
  readonly #cluster: Cluster;
  readonly #admission: AdmissionChain;

  constructor(cluster: Cluster, admission: AdmissionChain) {
    this.#cluster = cluster;
    this.#admission = admission;
  }

  /** Returns the last state of the object, and whether it is gone. Throws 404, 409 for preconditions, or what admission says. */
  async delete(
    resource: ServedResource,
    key: ObjectKey,
    deletion: Deletion,
    context: RequestContext,
  ): Promise<{ readonly object: Unstructured; readonly gone: boolean }> {
    const { storage } = this.#cluster;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stored = storage.get(resource.storage, formatKey(key));
      if (stored === undefined) throw notFound(resource, key.name);
      checkPreconditions(resource, stored, deletion);
      await this.#admit(resource, resource.fromStorage(stored), deletion, context);
      if (storage.get(resource.storage, formatKey(key)) !== stored) continue;
      const marked = this.#mark(resource, stored, deletion.propagation);
      const gone = !isHeld(marked);
      if (context.dryRun || marked === stored) return { object: resource.fromStorage(marked), gone };
      const version = stored.metadata.resourceVersion;
      const result = gone
        ? storage.remove(resource.storage, formatKey(key), version)
        : storage.replace(resource.storage, marked, version);
      if (result !== undefined) return { object: resource.fromStorage(result), gone };
    }
    throw conflict(resource, key.name, MODIFIED);
  }

  async #admit(
    resource: ServedResource,
    oldObject: Unstructured,
    deletion: Deletion,
    context: RequestContext,
  ): Promise<void> {
    const { info, user, dryRun, signal, warnings } = context;
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      propagationPolicy: deletion.propagation,
      ...(dryRun ? { dryRun: ['All'] } : {}),
    };
    const namespace = oldObject.metadata.namespace ?? info.namespace;
    const { name } = oldObject.metadata;
    const about = { operation: 'DELETE', oldObject, resource, subresource: '', namespace, name } as const;
    const request = { ...about, user, dryRun, options, signal, warnings };
    await this.#admission.mutate(request);
    await this.#admission.validate(request);
  }

  /** The object with its deletion noted. The same object when it is already being deleted this way. */
  #mark(resource: ServedResource, stored: Unstructured, propagation: Deletion['propagation']): Unstructured {
    const finalizers = finalizersFor(resource, stored, propagation);
    const { finalizers: before = [], deletionTimestamp, generation, ...metadata } = stored.metadata;
    const sameFinalizers = before.length === finalizers.length && finalizers.every((name) => before.includes(name));
    if (deletionTimestamp !== undefined && sameFinalizers) return stored;
    const first = deletionTimestamp === undefined;
    const marked: Unstructured = {
      ...stored,
      metadata: {
        ...metadata,
        ...(generation === undefined ? {} : { generation: first ? generation + 1 : generation }),
        deletionTimestamp: deletionTimestamp ?? toTimestamp(this.#cluster.clock.now()),
        // Namespaces have no grace period of their own.
        ...(resource.storage === 'namespaces' ? {} : { deletionGracePeriodSeconds: 0 }),
        ...(finalizers.length === 0 ? {} : { finalizers }),
      },
    };
    if (resource.storage !== 'namespaces') return marked;
    return { ...marked, status: { ...recordAt(stored, 'status'), phase: 'Terminating' } };
  }
}

/** The finalizers of an object while it is being deleted: its own, and those the policy and the kind add. */
function finalizersFor(
  resource: ServedResource,
  { metadata }: Unstructured,
  propagation: Deletion['propagation'],
): readonly string[] {
  const own = (metadata.finalizers ?? []).filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const cleanup = resource.plural === 'customresourcedefinitions' && !own.includes(CRD_CLEANUP) ? [CRD_CLEANUP] : [];
  const policy = propagation === 'Orphan' ? [ORPHAN] : propagation === 'Foreground' ? [FOREGROUND] : [];
  return [...own, ...cleanup, ...policy];
}

function checkPreconditions(resource: ServedResource, stored: Unstructured, deletion: Deletion): void {
  const { uid, resourceVersion, name } = stored.metadata;
  // The storage layer names the kind here, where every other conflict names the resource.
  const type = { group: resource.custom ? resource.group : '', plural: resource.kind };
  if (deletion.uid !== '' && deletion.uid !== uid) {
    const why = `the UID in the precondition (${deletion.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(type, name, why);
  }
  if (deletion.resourceVersion !== '' && deletion.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${deletion.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(type, name, why);
  }
}
