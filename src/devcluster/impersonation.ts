import type { Authorizer } from './authorization.ts';
import type { User } from './request-context.ts';
import { forbidden } from './status-error.ts';

/** The user a request acts as: itself, or the one its Impersonate headers name, if it may do so. */
export function actingUser(user: User, headers: Readonly<Record<string, string>>, authorizer: Authorizer): User {
  const username = headers['impersonate-user'];
  if (username === undefined) return user;
  const access = {
    verb: 'impersonate',
    group: '',
    resource: 'users',
    subresource: '',
    namespace: '',
    name: username,
    path: '',
  };
  if (!authorizer.decide(user, access).allowed) {
    const why = `User ${JSON.stringify(user.username)} cannot impersonate resource "users" in API group "" at the cluster scope`;
    throw forbidden({ group: '', plural: 'users' }, username, why);
  }
  const given = (headers['impersonate-group'] ?? '').split(',').map((group) => group.trim());
  const groups = given.filter((group) => group !== '');
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`];
  return { username, groups: [...new Set([...groups, ...own, 'system:authenticated'])] };
}
