import { toTimestamp } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { keyOf } from '../base/resource.ts';
import type { Cluster } from './cluster.ts';
import { ControlLoop } from './control-loop.ts';
import { controllerContext } from './controller-context.ts';
import type { ObjectDeleter } from './object-deleter.ts';
import { listAt, recordAt, textsAt } from './raw-json.ts';
import type { ServedResource } from './served-resource.ts';
import { notFound, StatusError } from './status-error.ts';

const NAMESPACES = 'namespaces';
const FINALIZER = 'kubernetes';
const CONTROLLER = 'system:serviceaccount:kube-system:namespace-controller';
const BACKGROUND = { uid: '', resourceVersion: '', propagation: 'Background' } as const;

/** Empties namespaces that are being deleted, then lets them go; says in their conditions what is still in the way. */
export class NamespaceController {
  readonly #cluster: Cluster;
  readonly #deleter: ObjectDeleter;
  readonly #loop: ControlLoop;

  constructor(cluster: Cluster, deleter: ObjectDeleter) {
    this.#cluster = cluster;
    this.#deleter = deleter;
    this.#loop = new ControlLoop(cluster, 'namespace', (name) => this.#sync(name));
    cluster.watches.subscribeAll({
      event: ({ resource, object }) => {
        const name = resource === NAMESPACES ? object.metadata.name : object.metadata.namespace;
        const found = name === undefined ? undefined : cluster.storage.get(NAMESPACES, name);
        if (name !== undefined && found?.metadata.deletionTimestamp !== undefined) this.#loop.add(name);
      },
    });
  }

  close(): void {
    this.#loop.close();
  }

  async #sync(name: string): Promise<void> {
    const { registry, storage } = this.#cluster;
    const namespace = storage.get(NAMESPACES, name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const resources = registry.stored().filter(({ namespaced }) => namespaced);
    const failures: string[] = [];
    for (const resource of resources) failures.push(...(await this.#deleteAll(resource, name)));
    const left = resources.map((resource) => ({ resource, objects: storage.list(resource.storage, name) }));
    const remaining = left.filter(({ objects }) => objects.length > 0);
    const current = storage.get(NAMESPACES, name);
    if (current === undefined) return;
    if (remaining.length === 0 && failures.length === 0) this.#finalize(current);
    else this.#report(current, remaining, failures);
    if (failures.length > 0) throw new StatusError(409, 'Conflict', failures.join('; '));
  }

  async #deleteAll(resource: ServedResource, namespace: string): Promise<readonly string[]> {
    const objects = this.#cluster.storage.list(resource.storage, namespace);
    const failures: string[] = [];
    for (const object of objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      try {
        await this.#deleter.delete(
          resource,
          keyOf(object),
          BACKGROUND,
          controllerContext(CONTROLLER, resource, namespace),
        );
      } catch (error) {
        const gone = error instanceof StatusError && error.status.code === notFound(resource, '').status.code;
        if (!gone) failures.push(errorText(error));
      }
    }
    return failures;
  }

  #finalize(namespace: Unstructured): void {
    const { storage } = this.#cluster;
    const { name, resourceVersion, finalizers = [] } = namespace.metadata;
    const left = textsAt(namespace, 'spec', 'finalizers').filter((finalizer) => finalizer !== FINALIZER);
    if (left.length === 0 && finalizers.length === 0) storage.remove(NAMESPACES, name, resourceVersion);
    else storage.replace(NAMESPACES, { ...namespace, spec: { finalizers: left } }, resourceVersion);
  }

  #report(namespace: Unstructured, remaining: readonly Remaining[], failures: readonly string[]): void {
    const before = listAt(namespace, 'status', 'conditions').filter(isRecord);
    const at = toTimestamp(this.#cluster.clock.now());
    const conditions = conditionsOf(remaining, failures).map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      const time = old?.['status'] === condition.status ? old['lastTransitionTime'] : at;
      return { ...condition, lastTransitionTime: time };
    });
    if (JSON.stringify(before.map(withoutTime)) === JSON.stringify(conditions.map(withoutTime))) return;
    const status = { ...recordAt(namespace, 'status'), phase: 'Terminating', conditions };
    this.#cluster.storage.replace(NAMESPACES, { ...namespace, status }, namespace.metadata.resourceVersion);
  }
}

interface Remaining {
  readonly resource: ServedResource;
  readonly objects: readonly Unstructured[];
}

function withoutTime(condition: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [condition['type'], condition['status'], condition['reason'], condition['message']];
}

function conditionsOf(remaining: readonly Remaining[], failures: readonly string[]) {
  const counts = remaining.map(
    ({ resource, objects }) => `${resource.plural}.${resource.group} has ${objects.length} resource instances`,
  );
  const held = new Map<string, number>();
  for (const { objects } of remaining) {
    for (const finalizer of objects.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
      held.set(finalizer, (held.get(finalizer) ?? 0) + 1);
    }
  }
  const finalizers = [...held]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const failed = failures.length > 0;
  return [
    flag('NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered'),
    flag(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    flag(
      'NamespaceDeletionContentFailure',
      failed,
      failed ? 'ContentDeletionFailed' : 'ContentDeleted',
      failed
        ? `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`
        : 'All content successfully deleted, may be waiting on finalization',
    ),
    flag(
      'NamespaceContentRemaining',
      counts.length > 0,
      counts.length > 0 ? 'SomeResourcesRemain' : 'ContentRemoved',
      counts.length > 0 ? `Some resources are remaining: ${counts.join(', ')}` : 'All content successfully removed',
    ),
    flag(
      'NamespaceFinalizersRemaining',
      finalizers.length > 0,
      finalizers.length > 0 ? 'SomeFinalizersRemain' : 'ContentHasNoFinalizers',
      finalizers.length > 0
        ? `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`
        : 'All content-preserving finalizers finished',
    ),
  ];
}

function flag(type: string, status: boolean, reason: string, message: string) {
  return { type, status: status ? 'True' : 'False', reason, message };
}
