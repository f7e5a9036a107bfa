import type { ServedResource } from './served-resource.ts';

/** The resources that are served now. CustomResourceDefinitions come and go; built-in ones stay. */
export class ResourceRegistry {
  readonly #resources = new Map<string, ServedResource>();
  /** Rises with each change, so that discovery documents can be made once per change. */
  #version = 0;

  constructor(resources: readonly ServedResource[]) {
    for (const resource of resources) this.#resources.set(idOf(resource), resource);
  }

  get version(): number {
    return this.#version;
  }

  /** The resource behind a path, or undefined. */
  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(idOf({ group, version, plural }));
  }

  /** The resource that serves a kind, or undefined. */
  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    return this.all().find((item) => item.group === group && item.version === version && item.kind === kind);
  }

  /** Every resource, in the order of registration. */
  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  /** One version of each stored resource. */
  stored(): readonly ServedResource[] {
    const byStorage = new Map(this.all().map((resource) => [resource.storage, resource]));
    return [...byStorage.values()].filter(({ verbs }) => verbs.includes('list'));
  }

  /** Serves these in place of what the storage table had before. */
  replace(storage: string, resources: readonly ServedResource[]): void {
    for (const [id, resource] of this.#resources) if (resource.storage === storage) this.#resources.delete(id);
    for (const resource of resources) this.#resources.set(idOf(resource), resource);
    this.#version += 1;
  }
}

function idOf({ group, version, plural }: Pick<ServedResource, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}
