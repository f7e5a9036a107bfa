import type { Unstructured } from '../base/object.ts';
import type { Authenticator } from './authentication.ts';
import type { Authorizer } from './authorization.ts';
import { violation } from './builtin-strategies.ts';
import { type AccessAttributes, heldRules } from './policy-rules.ts';
import { isEmptyValue, memberAt, type RawObject, recordAt, textAt, textsAt } from './raw-json.ts';
import type { User } from './request-context.ts';
import { badRequest, invalid, notImplemented } from './status-error.ts';
import type { Storage } from './storage.ts';

/** What answering reviews needs. */
export interface ReviewPorts {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly storage: Storage;
}

/** Answers a review: kinds that are only created, never stored. The result is the object with its status. */
export function answerReview(kind: string, review: Unstructured, user: User, ports: ReviewPorts): object {
  const { authenticator, authorizer, storage } = ports;
  switch (kind) {
    case 'SelfSubjectAccessReview':
      return { ...review, metadata: {}, status: accessStatus(authorizer, user, review) };
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      return { ...review, metadata: {}, status: accessStatus(authorizer, subjectOf(review), review) };
    case 'SelfSubjectRulesReview':
      return { ...review, metadata: {}, status: rulesStatus(storage, user, textAt(review, 'spec', 'namespace')) };
    case 'TokenReview':
      return { ...review, metadata: {}, status: tokenStatus(authenticator, review) };
    case 'SelfSubjectReview':
      return { ...review, metadata: {}, status: { userInfo: user } };
    default:
      throw notImplemented(`reviews of kind ${kind} are not answered`);
  }
}

function subjectOf(review: Unstructured): User {
  const username = textAt(review, 'spec', 'user');
  const groups = textsAt(review, 'spec', 'groups');
  if (username === '' && groups.length === 0) {
    const detail = 'at least one of user or group must be specified';
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
      violation('FieldValueInvalid', ['spec', 'user'], '', detail),
    ]);
  }
  return { username, groups };
}

function accessStatus(authorizer: Authorizer, user: User, review: Unstructured): object {
  const { allowed, reason } = authorizer.decide(user, accessOf(recordAt(review, 'spec')));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function accessOf(spec: RawObject): AccessAttributes {
  const resource = recordAt(spec, 'resourceAttributes');
  const other = recordAt(spec, 'nonResourceAttributes');
  if (isEmptyValue(resource) === isEmptyValue(other)) {
    throw badRequest('exactly one of nonResourceAttributes or resourceAttributes must be specified');
  }
  const attribute = (name: string): string => textAt(resource, name);
  return {
    verb: attribute('verb') || textAt(other, 'verb'),
    group: attribute('group'),
    resource: attribute('resource'),
    subresource: attribute('subresource'),
    namespace: attribute('namespace'),
    name: attribute('name'),
    path: textAt(other, 'path'),
  };
}

function rulesStatus(storage: Storage, user: User, namespace: string): object {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: ['*'] };
  const rules = user.groups.includes('system:masters')
    ? [everything]
    : heldRules(storage, user, namespace).map(({ rule }) => rule);
  return {
    resourceRules: rules
      .filter(({ resources }) => resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length === 0 ? {} : { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}

function tokenStatus(authenticator: Authenticator, review: Unstructured): object {
  const token = memberAt(review, ['spec', 'token']);
  const wanted = textsAt(review, 'spec', 'audiences');
  const found = typeof token === 'string' ? authenticator.review(token) : undefined;
  if (found === undefined) return { user: {}, error: 'invalid bearer token' };
  const audiences =
    wanted.length === 0 ? found.audiences : wanted.filter((audience) => found.audiences.includes(audience));
  if (audiences.length === 0) return { user: {}, error: 'the token has none of the audiences' };
  return { authenticated: true, user: found.user, audiences };
}
