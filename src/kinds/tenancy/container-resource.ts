import { type FieldPath, type Finding, invalid, labelKeyFindings } from '../../sdk/index.ts';

/** Resources of a container without a domain, besides huge pages (core helper, standardContainerResources). */
const STANDARD: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** What the names of huge pages begin with; their size follows. */
export const HUGE_PAGES = 'hugepages-';

/** What the API server would refuse in the name of a resource of a container (core validation, ValidateContainerResourceName). */
export function* containerResourceFindings(path: FieldPath, resource: string): Generator<Finding> {
  const problems = labelKeyFindings(path, resource);
  yield* problems;
  if (problems.length > 0) return;
  if (!resource.includes('/') && !isComputeResource(resource)) {
    yield invalid(path, resource, 'must be a standard resource for containers');
  } else if (!isNative(resource) && !isExtended(resource)) {
    yield invalid(path, resource, "doesn't follow extended resource name standard");
  }
}

/** Whether a name without a domain is one of what containers are given (core helper, IsStandardContainerResourceName). */
export function isComputeResource(resource: string): boolean {
  return STANDARD.has(resource) || isHugePages(resource);
}

/** Whether a resource is in the domain of Kubernetes, as names without one are. */
export function isNative(resource: string): boolean {
  return !resource.includes('/') || resource.includes('kubernetes.io/');
}

/** Whether a resource is huge pages of some size. */
export function isHugePages(resource: string): boolean {
  return resource.startsWith(HUGE_PAGES);
}

/** Whether containers may be promised more of a resource than there is (core helper, IsOvercommitAllowed). */
export function isShared(resource: string): boolean {
  return isNative(resource) && !isHugePages(resource);
}

/** A quota puts `requests.` before it, and the name must be one even then. */
function isExtended(resource: string): boolean {
  return !resource.startsWith('requests.') && labelKeyFindings([], `requests.${resource}`).length === 0;
}
