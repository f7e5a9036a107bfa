import { LOOPBACK, type RequestContext, type User } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import { Warnings } from './warnings.ts';

/** The context of a write that one of the cluster's own controllers makes: it passes admission like any other. */
export function controllerContext(username: string, resource: ServedResource, namespace: string): RequestContext {
  const user: User = { username, groups: LOOPBACK.groups };
  const { group, version, plural } = resource;
  return {
    info: { verb: 'delete', group, version, resource: plural, subresource: '', namespace, name: '', path: '' },
    user,
    query: new URLSearchParams(),
    headers: { 'user-agent': 'kube-controller-manager' },
    body: '',
    warnings: new Warnings(),
    dryRun: false,
    signal: new AbortController().signal,
  };
}
