import type { Clock } from '../base/clock.ts';
import { invariant } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { KubeObject } from '../base/object.ts';
import type { Random } from '../base/random.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import { CacheNotSynced, type Lookup } from '../rules/lookup.ts';
import { PreparedObjects } from '../rules/prepared-objects.ts';
import type { IndexFunctions } from '../runtime/store-contents.ts';
import { InformerPool, type InformerUse } from '../runtime/informer-pool.ts';
import { STAGE_LABEL } from '../runtime/shard.ts';
import { createInformer, type SharedInformer } from '../runtime/shared-informer.ts';
import type { Kind } from '../sdk/kind.ts';
import { stageIndexes } from './object-stages.ts';

/** What the table's informers are made of. */
export interface InformerTableOptions {
  readonly kinds: readonly Kind[];
  readonly client: KubeClient;
  /** Brings metadata alone, for demands of no more. */
  readonly metadataClient: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly resyncMs: number;
  /** Freezes what the caches hold, see `InformerOptions.frozen`. */
  readonly frozen: boolean;
  /** Follows, of kinds whose objects carry their stage, those of this one alone. @defaultValue all */
  readonly stage?: string;
}

/** One resource that kinds read, and which of its objects. */
export interface Demand {
  readonly type: ResourceType;
  readonly labelSelector: string | undefined;
  readonly keepManagers: readonly string[];
  readonly metadataOnly: boolean;
}

/**
 * One informer a resource, whoever asks for it: two watches of one resource would cost twice and disagree. Where one asker wants a
 * selection and another all objects, all objects are followed; where one wants metadata and another whole objects, whole objects.
 */
export class InformerTable {
  readonly #informers = new Map<string, SharedInformer>();
  readonly #uses: readonly InformerUse[];
  /** Reads of these caches for rules and steps. */
  readonly lookup: Lookup;

  constructor(options: InformerTableOptions) {
    const { kinds } = options;
    const pool = new InformerPool();
    const read = kinds.map((kind) => new Set(demandsOf([kind]).map(({ type }) => groupResourceOf(type))));
    this.#uses = demandsOf(kinds).flatMap((demand) => {
      const name = groupResourceOf(demand.type);
      const readers = read.filter((names) => names.has(name));
      return readers.map(() => pool.use(name, () => informerFor(demand, options)));
    });
    for (const { informer } of this.#uses) this.#informers.set(informer.name, informer);
    this.lookup = new PreparedObjects(kinds).lookup({
      // Informers hold raw JSON of the type that was asked for; the caller names the shape its schema gave it.
      get: <T extends KubeObject>(type: ResourceType, key: Parameters<Lookup['get']>[1]) =>
        this.#synced(type).store.get(key) as T | undefined,
      byIndex: <T extends KubeObject>(type: ResourceType, index: string, value: string) =>
        // The same: raw JSON of the type that was asked for.
        this.#synced(type).store.byIndex(index, value) as readonly unknown[] as readonly T[],
    });
  }

  get informers(): readonly SharedInformer[] {
    return [...this.#informers.values()];
  }

  /** Follows every resource until the signal fires; each ends when the last kind that reads it has let it go. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#uses.map((use) => use.run(signal)));
  }

  /** The informer of a resource, if some kind has declared it. */
  find(type: ResourceType): SharedInformer | undefined {
    return this.#informers.get(groupResourceOf(type));
  }

  /** The informer of a resource some kind has declared. */
  of(type: ResourceType): SharedInformer {
    const informer = this.find(type);
    invariant(
      informer !== undefined,
      `${groupResourceOf(type)} is watched by some kind; declare it in "watches" to look it up`,
    );
    return informer;
  }

  /** Whether a namespace is known to be on its way out. */
  isTerminating(namespace: string): boolean {
    return this.find(NAMESPACES)?.store.get({ name: namespace })?.metadata.deletionTimestamp !== undefined;
  }

  /** What keeps caches from being complete or up to date: a sentence for each, naming kind, verb, cause and what to do. */
  problem(): string | undefined {
    const sentences = this.informers
      .filter((informer) => !informer.hasSynced() || informer.trouble !== undefined)
      .map(({ name, trouble }) =>
        trouble === undefined
          ? `${name}: the first list is under way`
          : `cannot ${trouble.verb} ${trouble.kind}: ${trouble.cause}. ${trouble.advice}`,
      );
    return sentences.length === 0 ? undefined : sentences.join('; ');
  }

  #synced(type: ResourceType): SharedInformer {
    const informer = this.of(type);
    if (!informer.store.synced) throw new CacheNotSynced(type);
    return informer;
  }
}

function informerFor(demand: Demand, options: InformerTableOptions): SharedInformer {
  const { type, keepManagers, metadataOnly } = demand;
  const labelSelector = selectorFor(demand, options);
  return createInformer({
    ...options,
    client: metadataOnly ? options.metadataClient : options.client,
    type,
    indexes: { ...indexesOf(options.kinds, type), ...stageIndexes(options.kinds, type) },
    ...(labelSelector === undefined ? {} : { labelSelector }),
    keepManagers,
  });
}

/** A demand for a staged kind comes from whoever reconciles it or takes its stage from it: others of its objects are of no use. */
function selectorFor({ type, labelSelector }: Demand, { kinds, stage }: InformerTableOptions): string | undefined {
  const name = groupResourceOf(type);
  const staged = kinds.some((kind) => kind.staged === true && groupResourceOf(kind.type) === name);
  return staged && stage !== undefined ? `${STAGE_LABEL}=${stage}` : labelSelector;
}

/** What these kinds read, each resource once. */
export function demandsOf(kinds: readonly Kind[]): readonly Demand[] {
  const demands = new Map<string, Demand>();
  const ask = (
    type: ResourceType,
    { labelSelector, keepManagers = [], metadataOnly = false }: Partial<Demand> = {},
  ): void => {
    const name = groupResourceOf(type);
    const known = demands.get(name);
    demands.set(name, {
      type,
      labelSelector: known === undefined || known.labelSelector === labelSelector ? labelSelector : undefined,
      keepManagers: [...new Set([...(known?.keepManagers ?? []), ...keepManagers])],
      metadataOnly: metadataOnly && (known?.metadataOnly ?? true),
    });
  };
  for (const kind of kinds) {
    ask(kind.type);
    for (const watch of kind.watches) {
      const keepManagers = watch.type.group === kind.type.group ? [] : [kind.controller];
      ask(watch.type, { ...watch, keepManagers });
    }
    for (const index of kind.indexes) if (!demands.has(groupResourceOf(index.type))) ask(index.type);
  }
  return [...demands.values()];
}

/** The indexes these kinds declare over one resource. */
export function indexesOf(kinds: readonly Kind[], type: ResourceType): IndexFunctions {
  const declared = kinds
    .flatMap((kind) => kind.indexes)
    .filter((index) => groupResourceOf(index.type) === groupResourceOf(type));
  return Object.fromEntries(declared.map((index) => [index.name, index.values]));
}
