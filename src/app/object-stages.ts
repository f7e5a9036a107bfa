import type { KubeObject } from '../base/object.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import type { Lookup } from '../rules/lookup.ts';
import { isStage, STAGE_LABEL } from '../runtime/shard.ts';
import type { IndexFunctions } from '../runtime/store-contents.ts';
import type { Kind } from '../sdk/kind.ts';
import { OWNER_UID_ANNOTATION, ownerKeyOf } from '../steps/ownership.ts';

/** What telling stages needs. */
export interface ObjectStagesOptions {
  readonly kinds: readonly Kind[];
  readonly lookup: Lookup;
}

/** Index of objects by their namespace. */
export const NAMESPACE_INDEX = 'namespace';

/** Indexes over the objects of a kind that is reconciled and takes its stage from its namespaces. */
export function stageIndexes(kinds: readonly Kind[], type: ResourceType): IndexFunctions {
  const kind = kinds.find((one) => groupResourceOf(one.type) === groupResourceOf(type));
  if (kind?.pipeline === undefined || kind.staged === true || !type.namespaced) return {};
  return { [NAMESPACE_INDEX]: ({ metadata: { namespace } }) => (namespace === undefined ? [] : [namespace]) };
}

/**
 * Tells the stage of objects. Those of a staged kind carry it as a label; everything else in a namespace is of the stage of the object
 * that owns the namespace. What is in no such namespace, and what is in none, has no stage.
 */
export class ObjectStages {
  readonly #staged: readonly Kind[];
  readonly #lookup: Lookup;

  constructor({ kinds, lookup }: ObjectStagesOptions) {
    this.#staged = kinds.filter(({ staged }) => staged === true);
    this.#lookup = lookup;
  }

  /** Resources whose objects carry their stage. */
  get labelled(): readonly ResourceType[] {
    return this.#staged.map(({ type }) => type);
  }

  /** Whether objects of this resource carry their stage themselves. */
  isLabelled(type: ResourceType): boolean {
    return this.#staged.some((kind) => groupResourceOf(kind.type) === groupResourceOf(type));
  }

  /** @throws CacheNotSynced while the caches of namespaces or of staged kinds are filling */
  stageOf(type: ResourceType, object: KubeObject): string | undefined {
    if (this.isLabelled(type)) return stageLabelOf(object);
    const { namespace } = object.metadata;
    if (namespace === undefined || this.#staged.length === 0) return undefined;
    const owner = this.#ownerOf(namespace);
    return owner === undefined ? undefined : stageLabelOf(owner);
  }

  /** The object that made a namespace. The labels alone prove nothing: whoever may label a namespace could pick its stage. */
  #ownerOf(name: string): KubeObject | undefined {
    const namespace = this.#lookup.get<KubeObject>(NAMESPACES, { name });
    const named = namespace === undefined ? undefined : ownerKeyOf(namespace);
    const kind = this.#staged.find(({ type }) => type.kind === named?.kind);
    if (namespace === undefined || named === undefined || kind === undefined) return undefined;
    const { kind: _kind, ...key } = named;
    const owner = this.#lookup.get<KubeObject>(kind.type, key);
    return owner?.metadata.uid === namespace.metadata.annotations?.[OWNER_UID_ANNOTATION] ? owner : undefined;
  }
}

function stageLabelOf({ metadata }: KubeObject): string | undefined {
  const stage = metadata.labels?.[STAGE_LABEL];
  return stage !== undefined && isStage(stage) ? stage : undefined;
}
