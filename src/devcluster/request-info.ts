import type { ApiRequest } from './exchange.ts';

/** What a request is about: a resource of a group and version, or a path that names none. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  /** Plural; empty for a path outside resources. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty when the path names none. */
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

/** Verbs as RBAC spells them; `get`, `post`, ... for paths outside resources. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'post'
  | 'put'
  | 'head'
  | 'options';

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** Reads the path and method of a request the way the API server's request info resolver does. */
export function requestInfo(request: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestInfo {
  const [root, ...rest] = request.path.split('/').slice(1).map(decoded);
  const [group, version, ...tail] = root === 'apis' ? rest : ['', ...rest];
  const known = root === 'api' || root === 'apis';
  if (!known || group === undefined || version === undefined || tail.join('') === '') return outsideResources(request);
  const { namespace, parts } = placeOf(tail);
  const [resource = '', name = '', ...sub] = parts;
  const verb = resourceVerb(request, name !== '');
  return { verb, group, version, resource, subresource: sub.join('/'), namespace, name, path: request.path };
}

/** `namespaces/x/pods/y` speaks of a Pod in a namespace, `namespaces/x` and `namespaces/x/status` of the Namespace itself. */
function placeOf(tail: readonly string[]): { readonly namespace: string; readonly parts: readonly string[] } {
  const [first, namespace = '', third = ''] = tail;
  if (first !== 'namespaces') return { namespace: '', parts: tail };
  const within = tail.length > 2 && !NAMESPACE_SUBRESOURCES.has(third);
  return { namespace, parts: within ? tail.slice(2) : tail };
}

function decoded(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    // A part that is not well encoded names nothing, under either reading.
    return part;
  }
}

function outsideResources({ method, path }: Pick<ApiRequest, 'method' | 'path'>): RequestInfo {
  const verb = NON_RESOURCE_VERBS[method] ?? 'get';
  return { verb, group: '', version: '', resource: '', subresource: '', namespace: '', name: '', path };
}

const NON_RESOURCE_VERBS: Readonly<Record<string, Verb>> = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
  HEAD: 'head',
  OPTIONS: 'options',
};

function resourceVerb({ method, query }: Pick<ApiRequest, 'method' | 'query'>, named: boolean): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      if (named) return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
  }
}

/** Reads a boolean query parameter the way the API server does: absent, `0` and `false` are false, all else is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}
