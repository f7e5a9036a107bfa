import type { Clock } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import { isExpired } from '../kube/api-error-predicates.ts';
import type { KubeClient, ListQuery, ObjectPage } from '../kube/client.ts';
import type { StoreContents } from './store-contents.ts';
import { TurnBudget } from './turn-budget.ts';

/** What reading a whole list needs. */
export interface ListReaderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly type: ResourceType;
  /** Scope and selectors of the list. */
  readonly scope: Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector'>;
  readonly newContents: () => StoreContents;
  /** Checks and shrinks an object; `undefined` leaves it out. */
  readonly admit: (object: Unstructured) => Unstructured | undefined;
}

/** A whole list. */
export interface WholeList {
  readonly contents: StoreContents;
  readonly resourceVersion: string;
  /** The server cut it into pages. */
  readonly paged: boolean;
}

/** Takes a whole list over, page by page, into contents of its own; nothing is visible before it is complete. */
export class ListReader {
  readonly #options: ListReaderOptions;

  constructor(options: ListReaderOptions) {
    this.#options = options;
  }

  /**
   * Lists everything at `resourceVersion`. A continue token that expires on a later page leads to one whole list at the
   * original version (client-go pager, FullListIfPageTooOld).
   *
   * @throws what `KubeClient.list` throws.
   */
  async read(resourceVersion: string, limit: number | undefined, signal: AbortSignal): Promise<WholeList> {
    const first = firstPageQuery(resourceVersion, limit);
    const contents = this.#options.newContents();
    let page = await this.#page(first, signal);
    const paged = page.continueToken !== '';
    await this.#take(page, contents, signal);
    while (page.continueToken !== '') {
      const rest: ListQuery = { ...(limit === undefined ? {} : { limit }), continueToken: page.continueToken };
      try {
        page = await this.#page(rest, signal);
      } catch (error) {
        if (!isExpired(error)) throw error;
        return { ...(await this.#readWhole(resourceVersion, signal)), paged };
      }
      await this.#take(page, contents, signal);
    }
    return { contents, resourceVersion: page.resourceVersion, paged };
  }

  async #readWhole(resourceVersion: string, signal: AbortSignal): Promise<Omit<WholeList, 'paged'>> {
    const contents = this.#options.newContents();
    const page = await this.#page(firstPageQuery(resourceVersion, undefined), signal);
    await this.#take(page, contents, signal);
    return { contents, resourceVersion: page.resourceVersion };
  }

  #page(query: ListQuery, signal: AbortSignal): Promise<ObjectPage> {
    return this.#options.client.list(this.#options.type, { ...this.#options.scope, ...query }, { signal });
  }

  async #take(page: ObjectPage, contents: StoreContents, signal: AbortSignal): Promise<void> {
    const { admit, clock } = this.#options;
    const budget = new TurnBudget(clock);
    for (const item of page.items) {
      const object = admit(item);
      if (object !== undefined) contents.put(object);
      if (!budget.isSpent()) continue;
      await budget.renew();
      signal.throwIfAborted();
    }
  }
}

/**
 * NotOlderThan is said where a version is named: with a limit and without a match the API server would read exactly that
 * version, which is soon compacted away. Later pages carry the token alone, as the API demands.
 */
function firstPageQuery(resourceVersion: string, limit: number | undefined): ListQuery {
  const named = resourceVersion !== '' && resourceVersion !== '0';
  return {
    resourceVersion,
    ...(limit === undefined ? {} : { limit }),
    ...(named ? { resourceVersionMatch: 'NotOlderThan' as const } : {}),
  };
}
