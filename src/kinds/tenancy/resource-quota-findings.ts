import {
  amountFindings,
  compareQuantities,
  type FieldPath,
  type Finding,
  invalid,
  labelKeyFindings,
  NANOS_PER_UNIT,
  parseQuantity,
} from '../../sdk/index.ts';
import { quotaScopeFindings } from './quota-scope-findings.ts';
import type { Quantities } from './quantity-schema.ts';
import { measuredResource } from './quota-resource.ts';
import type { ResourceQuotaItem } from './resource-quota-schema.ts';

/** Resources a quota may name without a domain, besides those of {@link COUNTED} (core validation, standardQuotaResources). */
const MEASURED: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

/** Resources that are counted, so that a quota of them is a whole number. Those with a domain and `count/` are as well. */
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);

/** What the API server would refuse in a quota, and a quota that can never be used up: requests above limits. */
export function* resourceQuotaFindings(item: ResourceQuotaItem, path: FieldPath): Generator<Finding> {
  const hard = [...path, 'hard'];
  for (const [resource, amount] of Object.entries(item.hard)) {
    const at = [...hard, { key: resource }];
    yield* resourceNameFindings(resource, at);
    yield* amountFindings(at, amount);
    const nanos = parseQuantity(amount);
    if (isCounted(resource) && nanos !== undefined && nanos % NANOS_PER_UNIT !== 0n) {
      yield invalid(at, amount, 'must be an integer');
    }
  }
  yield* requestsAboveLimits(item.hard, hard);
  yield* quotaScopeFindings(item, path);
}

function* resourceNameFindings(resource: string, path: FieldPath): Generator<Finding> {
  const problems = labelKeyFindings(path, resource);
  yield* problems;
  if (problems.length > 0 || resource.includes('/') || isQuotaResource(resource)) return;
  yield invalid(path, resource, 'must be a standard resource for quotas');
}

/** Whether a resource without a domain is one that quotas know (core helper, IsStandardQuotaResourceName). */
export function isQuotaResource(resource: string): boolean {
  return MEASURED.has(resource) || COUNTED.has(resource) || /^(?:requests\.)?hugepages-/.test(resource);
}

function* requestsAboveLimits(hard: Quantities, path: FieldPath): Generator<Finding> {
  for (const [resource, request] of Object.entries(hard)) {
    const measured = measuredResource(resource);
    const limited = measured.replace(/^requests\./, 'limits.');
    const limit = Object.hasOwn(hard, limited) ? hard[limited] : undefined;
    if (limited === measured || limit === undefined) continue;
    if ((compareQuantities(request, limit) ?? 0) > 0) {
      yield invalid([...path, { key: resource }], request, `must not exceed ${limited} ${limit}`);
    }
  }
}

function isCounted(resource: string): boolean {
  return COUNTED.has(resource) || resource.includes('/');
}
