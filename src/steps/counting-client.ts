import type { KubeClient } from '../kube/client.ts';

/** A client that counts what it is asked to write; dry runs are no writes. */
export interface CountingClient extends KubeClient {
  readonly writes: () => number;
}

/** Wraps a client for one pass. A request counts when it is sent, whatever comes of it. */
export function countingClient(client: KubeClient): CountingClient {
  let writes = 0;
  const count = (dryRun: boolean | undefined): void => {
    if (dryRun !== true) writes += 1;
  };
  return {
    writes: () => writes,
    get: (type, key, options) => client.get(type, key, options),
    list: (type, query, options) => client.list(type, query, options),
    watch: (type, query, options) => client.watch(type, query, options),
    raw: (method, path, body, options) => client.raw(method, path, body, options),
    create: (type, object, options) => {
      count(options.dryRun);
      return client.create(type, object, options);
    },
    update: (type, object, options) => {
      count(options.dryRun);
      return client.update(type, object, options);
    },
    patch: (type, key, patch, options) => {
      count(options.dryRun);
      return client.patch(type, key, patch, options);
    },
    apply: (type, object, options) => {
      count(options.dryRun);
      return client.apply(type, object, options);
    },
    delete: (type, key, options) => {
      count(false);
      return client.delete(type, key, options);
    },
  };
}
