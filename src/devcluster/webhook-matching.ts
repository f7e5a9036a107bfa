import type { FailurePolicy, Hook } from '../base/hook.ts';
import type { StringMap, Unstructured } from '../base/object.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { listAt, memberAt, type RawObject, textAt, textsAt } from './raw-json.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { isEmptySelector, structuredSelector } from './selectors.ts';
import type { ServedResource } from './served-resource.ts';
import { notImplemented } from './status-error.ts';

/** One webhook of a configuration, as far as calling it needs. */
export interface Webhook {
  readonly name: string;
  readonly raw: RawObject;
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: FailurePolicy;
  readonly timeoutSeconds: number;
  readonly reinvocationPolicy: string;
  readonly sideEffects: string;
}

/** One rule of a webhook: `*` in a list stands for everything. */
interface WebhookRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: string;
}

/** Twins of matchConditions: the expression's text to the function that decides the same. */
export type MatchConditionTwins = Readonly<Record<string, (request: AdmissionRequest) => boolean>>;

/** The twins of these hooks. */
export function matchConditionsOf(hooks: readonly Hook[]): MatchConditionTwins {
  return Object.fromEntries(
    hooks
      .flatMap((hook) => hook.matchConditions ?? [])
      .map(({ expression, holds }) => [expression, ({ object }) => object !== undefined && holds(object)]),
  );
}

/** Reads a stored webhook; its defaults are already filled in. */
export function readWebhook(raw: RawObject): Webhook {
  const timeout = memberAt(raw, ['timeoutSeconds']);
  return {
    name: textAt(raw, 'name'),
    raw,
    rules: listAt(raw, 'rules').map(readRule),
    failurePolicy: textAt(raw, 'failurePolicy') === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    reinvocationPolicy: textAt(raw, 'reinvocationPolicy'),
    sideEffects: textAt(raw, 'sideEffects'),
  };
}

function readRule(raw: unknown): WebhookRule {
  return {
    operations: textsAt(raw, 'operations'),
    apiGroups: textsAt(raw, 'apiGroups'),
    apiVersions: textsAt(raw, 'apiVersions'),
    resources: textsAt(raw, 'resources'),
    scope: textAt(raw, 'scope'),
  };
}

/**
 * The version of the resource in which the rules of a webhook ask for a request, or undefined where they do not: the client's own
 * when a rule names it, under matchPolicy Equivalent else the first served one that a rule names.
 */
export function resourceSeen(
  hook: Webhook,
  request: AdmissionRequest,
  registry: Pick<ResourceRegistry, 'find'>,
): ServedResource | undefined {
  const { resource } = request;
  const rules = hook.rules.filter((rule) => matchesRule(rule, request));
  if (rules.length === 0) return undefined;
  if (rules.some(({ apiVersions }) => includes(apiVersions, resource.version))) return resource;
  if (textAt(hook.raw, 'matchPolicy') === 'Exact') return undefined;
  return rules
    .flatMap(({ apiVersions }) => apiVersions)
    .map((version) => registry.find(resource.group, version, resource.plural))
    .find((served) => served !== undefined);
}

/** Tells whether a webhook whose rules match is called for a request: namespaceSelector, objectSelector, matchConditions. */
export function matchWebhook(
  hook: Webhook,
  request: AdmissionRequest,
  namespace: Unstructured | undefined,
  twins: MatchConditionTwins,
): boolean {
  return (
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

function matchesRule(
  { operations, apiGroups, resources, scope }: WebhookRule,
  { resource, subresource, operation }: AdmissionRequest,
): boolean {
  const wanted = resource.namespaced ? 'Namespaced' : 'Cluster';
  return (
    includes(operations, operation) &&
    includes(apiGroups, resource.group) &&
    (scope === '' || scope === '*' || scope === wanted) &&
    resources.some((entry) => matchesResource(entry, resource.plural, subresource))
  );
}

function matchesResource(entry: string, plural: string, subresource: string): boolean {
  const [resource, sub = ''] = entry.split('/');
  if (resource !== '*' && resource !== plural) return false;
  return sub === subresource || sub === '*' || (entry === '*' && subresource === '');
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes('*');
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
