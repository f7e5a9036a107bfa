import { isComputeResource } from './container-resource.ts';

/**
 * Objects that are counted under their own name as they are under `count/`. Pods are not among them: `pods` leaves out those that have
 * ended.
 */
const COUNTED_ALIKE: ReadonlySet<string> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

/**
 * One name for a resource that a quota can name in two ways: `cpu` is `requests.cpu`, `count/secrets` is `secrets` (kubernetes
 * pkg/quota/v1/evaluator/core: podComputeUsageHelper, legacyObjectCountAliases, Usage of services and claims). Others keep theirs.
 */
export function measuredResource(name: string): string {
  // The bare name of what Pods are given means what they request.
  if (isComputeResource(name)) return `requests.${name}`;
  const counted = name.replace(/^count\//, '');
  return COUNTED_ALIKE.has(counted) ? counted : name;
}
