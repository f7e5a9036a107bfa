import type { Verb } from '../base/touch.ts';
import { keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';

/** One request of a pass, as RBAC and a reader of tests see it. */
export interface Request {
  /** What was called; `apply` is a patch to RBAC. */
  readonly verb: Exclude<Verb, 'bind'> | 'apply';
  readonly type: ResourceType;
  readonly subresource?: string;
  /** Absent for lists and watches. */
  readonly key?: ObjectKey;
}

/** Runs a request, or does not. */
export type Intercept = <Answer>(request: Request, send: () => Promise<Answer>) => Promise<Answer>;

/** A client whose every request goes through one function, which may note it, refuse it, or lose its answer. */
export function interceptedClient(client: KubeClient, intercept: Intercept): KubeClient {
  const about = (subresource: string | undefined): Pick<Request, 'subresource'> =>
    subresource === undefined ? {} : { subresource };
  return {
    get: (type, key, options) => intercept({ verb: 'get', type, key }, () => client.get(type, key, options)),
    list: (type, query, options) => intercept({ verb: 'list', type }, () => client.list(type, query, options)),
    watch: (type, query, options) => intercept({ verb: 'watch', type }, () => client.watch(type, query, options)),
    create: (type, object, options) =>
      intercept({ verb: 'create', type, key: keyOf(object), ...about(options.subresource) }, () =>
        client.create(type, object, options),
      ),
    update: (type, object, options) =>
      intercept({ verb: 'update', type, key: keyOf(object), ...about(options.subresource) }, () =>
        client.update(type, object, options),
      ),
    patch: (type, key, patch, options) =>
      intercept({ verb: 'patch', type, key, ...about(options.subresource) }, () =>
        client.patch(type, key, patch, options),
      ),
    apply: (type, object, options) =>
      intercept({ verb: 'apply', type, key: keyOf(object), ...about(options.subresource) }, () =>
        client.apply(type, object, options),
      ),
    delete: (type, key, options) => intercept({ verb: 'delete', type, key }, () => client.delete(type, key, options)),
    raw: (method, path, body, options) => client.raw(method, path, body, options),
  };
}

/** Tells whether a request changes something. */
export function isWrite({ verb }: Request): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}
