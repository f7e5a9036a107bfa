import { type FieldPath, type Finding, invalid } from '../../sdk/index.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';

type Scope = NonNullable<ResourceQuotaItem['scopes']>[number];
type Requirement = NonNullable<NonNullable<ResourceQuotaItem['scopeSelector']>['matchExpressions']>[number];

/** Scopes that exclude each other. */
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const satisfies readonly (readonly [Scope, Scope])[];

/** Resources of Pods that most scopes can be applied to, and those of volumes. */
const COMPUTE = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const STORAGE = ['persistentvolumeclaims', 'requests.storage'];

/** Scopes that name classes, so that a selector can have values. */
const CLASSES: ReadonlySet<Scope> = new Set(['PriorityClass', 'VolumeAttributesClass']);

/** What the API server would refuse in the scopes of a quota (core validation, validateScopedResourceSelectorRequirement). */
export function* quotaScopeFindings(item: ResourceQuotaItem, path: FieldPath): Generator<Finding> {
  const { scopes = [], scopeSelector } = item;
  const resources = Object.keys(item.hard);
  if (scopes.some((scope) => !suits(scope, resources))) {
    yield invalid([...path, 'scopes'], scopes, 'unsupported scope applied to resource');
  }
  for (const [one, other] of OPPOSITES) {
    if (scopes.includes(one) && scopes.includes(other)) {
      yield invalid([...path, 'scopes'], scopes, `"${one}" and "${other}" exclude each other`);
    }
  }
  for (const [index, requirement] of (scopeSelector?.matchExpressions ?? []).entries()) {
    yield* requirementFindings(requirement, resources, [...path, 'scopeSelector', 'matchExpressions', index]);
  }
}

function* requirementFindings(
  { scopeName, operator, values = [] }: Requirement,
  resources: readonly string[],
  path: FieldPath,
): Generator<Finding> {
  if (!suits(scopeName, resources)) {
    yield invalid([...path, 'scopeName'], scopeName, 'unsupported scope applied to resource');
  }
  if (!CLASSES.has(scopeName) && operator !== 'Exists') {
    yield invalid([...path, 'operator'], operator, `must be 'Exists' when scope is ${scopeName}`);
  }
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && values.length === 0) {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn'";
    yield { type: 'FieldValueRequired', path: [...path, 'values'], detail };
  }
  if (!needsValues && values.length > 0) {
    yield invalid([...path, 'values'], values, "must be no value when `operator` is 'Exists' or 'DoesNotExist'");
  }
}

function suits(scope: Scope, resources: readonly string[]): boolean {
  const suited = suitedResources(scope);
  return resources.every((resource) => suited.includes(resource));
}

function suitedResources(scope: Scope): readonly string[] {
  switch (scope) {
    case 'BestEffort':
      return ['pods'];
    case 'VolumeAttributesClass':
      return STORAGE;
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return ['pods', ...COMPUTE];
  }
}
