import { Snapshot } from '../app/snapshot.ts';
import type { KubeObject } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { TestCluster } from './test-cluster.ts';

/**
 * What a reconcile reads from its caches: the cluster as it was some writes ago. Each write adds a state; a cache that lags by n
 * shows the one before the last n writes. While nothing is written it catches up state by state, as a slow watch does.
 */
export class LaggingCache implements Lookup {
  readonly #cluster: TestCluster;
  readonly #states: Snapshot[] = [];
  #lag: number;
  /** States there were at the last advance, and the one that was shown then. */
  #seen = 0;
  #at = 0;
  #shown: Snapshot;

  constructor(cluster: TestCluster, lag: number) {
    this.#cluster = cluster;
    this.#lag = lag;
    this.#shown = Snapshot.empty(cluster.kinds);
  }

  /** Notes the state of the cluster after a write; where nothing lags that is left to {@link LaggingCache.advance}. */
  async note(): Promise<void> {
    if (this.#lag > 0) this.#states.push(await this.#read());
  }

  /** Lets the watch events of this moment arrive, except those of the last writes that lag: called before each pass. */
  async advance(): Promise<void> {
    if (this.#lag === 0) {
      this.#shown = await this.#read();
      return;
    }
    const idle = this.#states.length === this.#seen;
    // What others did since then comes after all of our own writes.
    if (this.#states.length === 0 || (idle && this.#at === this.#seen - 1)) this.#states.push(await this.#read());
    const last = this.#states.length - 1;
    this.#at = Math.min(last, Math.max(last - this.#lag, idle ? this.#at + 1 : this.#at));
    this.#seen = this.#states.length;
    this.#shown = this.#states[this.#at] ?? this.#shown;
  }

  /** Tells whether there is a lag, and ends it: the next advance shows everything. */
  catchUp(): boolean {
    const lagged = this.#lag > 0;
    this.#lag = 0;
    return lagged;
  }

  get<T extends KubeObject>(type: ResourceType, key: ObjectKey): T | undefined {
    return this.#shown.get<T>(type, key);
  }

  byIndex<T extends KubeObject>(type: ResourceType, index: string, value: string): readonly T[] {
    return this.#shown.byIndex<T>(type, index, value);
  }

  #read(): Promise<Snapshot> {
    return Snapshot.read(this.#cluster.client, this.#cluster.kinds, new AbortController().signal);
  }
}
