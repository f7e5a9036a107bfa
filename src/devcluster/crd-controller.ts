import { toTimestamp } from '../base/clock.ts';
import { jsonEqual } from '../base/json.ts';
import type { Condition, Unstructured } from '../base/object.ts';
import type { CelTwins } from './cel-twins.ts';
import type { Cluster } from './cluster.ts';
import { ControlLoop } from './control-loop.ts';
import { customResources, versionsOf } from './custom-resource.ts';
import { recordAt, textAt, textsAt, withMember } from './raw-json.ts';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
/** Holds a definition until its objects are gone. */
export const CRD_CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** Serves what CustomResourceDefinitions describe, says so in their conditions, and deletes the objects of one that goes. */
export class CrdController {
  readonly #cluster: Cluster;
  readonly #twins: readonly CelTwins[];
  readonly #loop: ControlLoop;
  readonly #served: Map<string, unknown>;

  /** `served` holds the specs of the definitions that are served already. */
  constructor(cluster: Cluster, twins: readonly CelTwins[], served: ReadonlyMap<string, unknown> = new Map()) {
    this.#cluster = cluster;
    this.#twins = twins;
    this.#served = new Map(served);
    this.#loop = new ControlLoop(cluster, 'crd', (name) => this.#sync(name));
    cluster.watches.subscribe(CRDS, 0, { event: ({ object }) => this.#loop.add(object.metadata.name) });
    cluster.watches.subscribeAll({
      event: ({ type, resource }) => {
        if (type === 'DELETED' && this.#served.has(resource)) this.#loop.add(resource);
      },
    });
  }

  /** Specs of the definitions that are served now, by name. */
  served(): ReadonlyMap<string, unknown> {
    return new Map(this.#served);
  }

  close(): void {
    this.#loop.close();
  }

  #sync(name: string): void {
    const { registry, storage } = this.#cluster;
    const definition = storage.get(CRDS, name);
    if (definition === undefined) {
      this.#served.delete(name);
      registry.replace(name, []);
      return;
    }
    if (definition.metadata.deletionTimestamp !== undefined) {
      this.#cleanUp(name, definition);
      return;
    }
    if (!jsonEqual(this.#served.get(name), definition['spec'])) {
      registry.replace(name, customResources(definition, this.#twins));
      this.#served.set(name, definition['spec']);
    }
    const established = this.#established(definition);
    if (!jsonEqual(established, definition)) storage.replace(CRDS, established, definition.metadata.resourceVersion);
  }

  #established(definition: Unstructured): Unstructured {
    const before = recordAt(definition, 'status');
    const at = toTimestamp(this.#cluster.clock.now());
    const known = before['conditions'];
    const conditions =
      Array.isArray(known) && known.length > 0
        ? known
        : [
            condition('NamesAccepted', 'NoConflicts', 'no conflicts found', at),
            condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted', at),
          ];
    const stored = versionsOf(definition).flatMap((version) =>
      version['storage'] === true ? textAt(version, 'name') : [],
    );
    const storedVersions = [...new Set([...textsAt(before, 'storedVersions'), ...stored])];
    const acceptedNames = recordAt(definition, 'spec', 'names');
    return { ...definition, status: { ...before, conditions, acceptedNames, storedVersions } };
  }

  #cleanUp(name: string, definition: Unstructured): void {
    const { storage } = this.#cluster;
    for (const object of storage.list(name)) {
      const { namespace, name: own, resourceVersion } = object.metadata;
      const key = namespace === undefined ? own : `${namespace}/${own}`;
      if ((object.metadata.finalizers ?? []).length === 0) storage.remove(name, key, resourceVersion);
      else if (object.metadata.deletionTimestamp === undefined) {
        const at = toTimestamp(this.#cluster.clock.now());
        storage.replace(name, withMember(object, ['metadata', 'deletionTimestamp'], at), resourceVersion);
      }
    }
    if (storage.list(name).length > 0) return;
    const finalizers = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CRD_CLEANUP);
    const version = definition.metadata.resourceVersion;
    if (finalizers.length === 0) storage.remove(CRDS, name, version);
    else if (finalizers.length !== definition.metadata.finalizers?.length) {
      storage.replace(CRDS, withMember(definition, ['metadata', 'finalizers'], finalizers), version);
    }
  }
}

function condition(type: string, reason: string, message: string, lastTransitionTime: string): Condition {
  return { type, status: 'True', lastTransitionTime, reason, message };
}
