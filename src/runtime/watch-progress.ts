/** Page size of client-go's pager. */
const PAGE_SIZE = 500;

/** How a LIST is to be asked for. */
export interface ListPlan {
  readonly resourceVersion: string;
  readonly limit?: number;
}

/**
 * What a reflector remembers between two requests, and which version it asks for next. Pure bookkeeping after client-go's
 * reflector.go; no I/O, no time.
 */
export class WatchProgress {
  #lastVersion = '';
  #unavailable = false;
  #alwaysPaged = false;

  /** Version of the last list, event or bookmark; empty before the first. */
  get lastVersion(): string {
    return this.#lastVersion;
  }

  /** An event or a bookmark of that version was delivered. */
  saw(resourceVersion: string): void {
    if (resourceVersion !== '') this.#lastVersion = resourceVersion;
  }

  /** A whole list of that version was delivered. */
  listed(resourceVersion: string): void {
    this.saw(resourceVersion);
    this.#unavailable = false;
  }

  /**
   * The server can serve the last version no more, or not yet: the next list is a consistent one. False when that was tried
   * already, so that the caller backs off instead of asking in a loop.
   */
  versionUnavailable(): boolean {
    if (this.#unavailable) return false;
    this.#unavailable = true;
    return true;
  }

  /** A list at "0" came in pages, so the server has no watch cache: lists stay paged, whatever version they ask for. */
  sawPagesAtZero(): void {
    this.#alwaysPaged = true;
  }

  /**
   * "0", whatever the server's cache has, the first time; then "not older than what was seen", so that a relist at a lagging
   * server never goes back in time (kubernetes/kubernetes#83520). No limit with a version: the API server would read it from
   * etcd instead of its cache.
   */
  nextList(): ListPlan {
    const resourceVersion = this.#unavailable ? '' : this.#lastVersion === '' ? '0' : this.#lastVersion;
    const paged = this.#alwaysPaged || isAnyOrConsistent(resourceVersion);
    return paged ? { resourceVersion, limit: PAGE_SIZE } : { resourceVersion };
  }

  /** As {@link nextList}, but consistent the first time: a streaming list is served from the cache in any case. */
  nextStreamingList(): string {
    return this.#unavailable ? '' : this.#lastVersion;
  }
}

/**
 * Says which frames tell how far a watch has come. A watch from "" or "0" begins with an ADDED for each object that exists, in
 * no order; their versions say nothing until a frame of another kind arrives (client-go TestReflectorResourceVersionUpdate).
 */
export class FrameOrder {
  #unordered: boolean;

  constructor(startVersion: string) {
    this.#unordered = isAnyOrConsistent(startVersion);
  }

  /** True when the frame's version may be resumed from. */
  advances(frame: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'): boolean {
    if (frame !== 'ADDED') this.#unordered = false;
    return !this.#unordered;
  }
}

function isAnyOrConsistent(resourceVersion: string): boolean {
  return resourceVersion === '' || resourceVersion === '0';
}
