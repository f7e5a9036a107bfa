import type { FailurePolicy } from '../base/hook.ts';
import type { StringMap, Unstructured } from '../base/object.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { listAt, memberAt, type RawObject, textAt, textsAt } from './raw-json.ts';
import { isEmptySelector, structuredSelector } from './selectors.ts';
import { notImplemented } from './status-error.ts';

/** One webhook of a configuration, as far as calling it needs. */
export interface Webhook {
  readonly name: string;
  readonly raw: RawObject;
  readonly failurePolicy: FailurePolicy;
  readonly timeoutSeconds: number;
  readonly reinvocationPolicy: string;
  readonly sideEffects: string;
}

/** Twins of matchConditions: the expression's text to the function that decides the same. */
export type MatchConditionTwins = Readonly<Record<string, (request: AdmissionRequest) => boolean>>;

/** Reads a stored webhook; its defaults are already filled in. */
export function readWebhook(raw: RawObject): Webhook {
  const timeout = memberAt(raw, ['timeoutSeconds']);
  return {
    name: textAt(raw, 'name'),
    raw,
    failurePolicy: textAt(raw, 'failurePolicy') === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    reinvocationPolicy: textAt(raw, 'reinvocationPolicy'),
    sideEffects: textAt(raw, 'sideEffects'),
  };
}

/** Tells whether a webhook is called for a request: rules, namespaceSelector, objectSelector, matchConditions. */
export function matchWebhook(
  hook: Webhook,
  request: AdmissionRequest,
  namespace: Unstructured | undefined,
  twins: MatchConditionTwins,
): boolean {
  return (
    listAt(hook.raw, 'rules').some((rule) => matchesRule(rule, request)) &&
    matchesNamespace(hook, request, namespace) &&
    matchesObject(hook, request) &&
    listAt(hook.raw, 'matchConditions').every((condition) => {
      const expression = textAt(condition, 'expression');
      const twin = twins[expression];
      if (twin !== undefined) return twin(request);
      throw notImplemented(
        `webhook "${hook.name}" has the matchCondition ${JSON.stringify(expression)}, for which no TypeScript twin was given`,
      );
    })
  );
}

function matchesRule(rule: unknown, { resource, subresource, operation }: AdmissionRequest): boolean {
  const scope = textAt(rule, 'scope');
  const wanted = resource.namespaced ? 'Namespaced' : 'Cluster';
  return (
    includes(rule, 'operations', operation) &&
    includes(rule, 'apiGroups', resource.group) &&
    // All versions of a custom resource here have one schema, so Equivalent and Exact differ only in the version sent.
    (includes(rule, 'apiVersions', resource.version) || textAt(rule, 'matchPolicy') === 'Equivalent') &&
    (scope === '' || scope === '*' || scope === wanted) &&
    textsAt(rule, 'resources').some((entry) => matchesResource(entry, resource.plural, subresource))
  );
}

function matchesResource(entry: string, plural: string, subresource: string): boolean {
  const [resource, sub = ''] = entry.split('/');
  if (resource !== '*' && resource !== plural) return false;
  return sub === subresource || sub === '*' || (entry === '*' && subresource === '');
}

function includes(rule: unknown, member: string, value: string): boolean {
  const list = textsAt(rule, member);
  return list.includes('*') || list.includes(value);
}

function matchesNamespace(hook: Webhook, request: AdmissionRequest, namespace: Unstructured | undefined): boolean {
  const selector = hook.raw['namespaceSelector'];
  const { resource, object, oldObject } = request;
  if (isEmptySelector(selector)) return true;
  if (resource.storage === 'namespaces')
    return structuredSelector(selector)((object ?? oldObject)?.metadata.labels ?? {});
  if (!resource.namespaced) return true;
  return structuredSelector(selector)(namespace?.metadata.labels ?? {});
}

function matchesObject(hook: Webhook, { object, oldObject }: AdmissionRequest): boolean {
  const selector = hook.raw['objectSelector'];
  if (isEmptySelector(selector)) return true;
  const test = structuredSelector(selector);
  const labels = (candidate: Unstructured): StringMap => candidate.metadata.labels ?? {};
  return [object, oldObject].some((candidate) => candidate !== undefined && test(labels(candidate)));
}
