import { toTimestamp } from '../base/clock.ts';
import type { Cluster } from './cluster.ts';
import { ControlLoop } from './control-loop.ts';

const NAMESPACES = 'namespaces';
const ACCOUNTS = 'serviceaccounts';

/** Keeps a ServiceAccount `default` in every namespace that is not being deleted. */
export class ServiceAccountController {
  readonly #cluster: Cluster;
  readonly #loop: ControlLoop;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#loop = new ControlLoop(cluster, 'serviceaccount', (namespace) => this.#sync(namespace));
    cluster.watches.subscribe(NAMESPACES, 0, { event: ({ object }) => this.#loop.add(object.metadata.name) });
    cluster.watches.subscribe(ACCOUNTS, 0, {
      event: ({ type, object }) => {
        if (type === 'DELETED' && object.metadata.name === 'default') this.#loop.add(object.metadata.namespace ?? '');
      },
    });
  }

  close(): void {
    this.#loop.close();
  }

  #sync(namespace: string): void {
    const { clock, random, storage } = this.#cluster;
    const found = storage.get(NAMESPACES, namespace);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    if (storage.get(ACCOUNTS, `${namespace}/default`) !== undefined) return;
    const identity = { uid: random.uuid(), resourceVersion: '', creationTimestamp: toTimestamp(clock.now()) };
    storage.create(ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace, ...identity },
    });
  }
}
