import {
  amountFindings,
  compareQuantities,
  type FieldPath,
  type Finding,
  forbidden,
  invalid,
  NANOS_PER_UNIT,
  parseQuantity,
  roundedUpToMilli,
} from '../../sdk/index.ts';
import {
  containerResourceFindings,
  HUGE_PAGES,
  isHugePages,
  isNative,
  isShared,
} from '../tenancy/container-resource.ts';
import type { Quantities } from '../tenancy/quantity-schema.ts';
import type { DatabaseBackupSpec } from './schema.ts';

type Resources = NonNullable<DatabaseBackupSpec['resources']>;

/** What the API server would refuse in the resources of a container (core validation, validateResourceRequirements). */
export function* resourceFindings(path: FieldPath, resources: Resources): Generator<Finding> {
  const { requests = {}, limits = {} } = resources;
  for (const [member, amounts] of Object.entries({ requests, limits })) {
    for (const [resource, amount] of Object.entries(amounts)) {
      const at = [...path, member, { key: resource }];
      yield* containerResourceFindings(at, resource);
      yield* amountFindings(at, amount);
      yield* unitFindings(at, resource, amount);
    }
  }
  for (const [resource, request] of Object.entries(requests)) {
    const at = [...path, 'requests', { key: resource }];
    yield* boundFindings(at, { resource, request, limits });
  }
  const named = [...Object.keys(requests), ...Object.keys(limits)];
  if (named.some(isHugePages) && !named.includes('cpu') && !named.includes('memory')) {
    yield forbidden(path, 'huge pages require cpu or memory');
  }
}

/** Devices are counted, and huge pages come in their size. */
function* unitFindings(path: FieldPath, resource: string, amount: string | number): Generator<Finding> {
  const nanos = parseQuantity(roundedUpToMilli(amount));
  if (nanos === undefined) return;
  if (!isNative(resource) && nanos % NANOS_PER_UNIT !== 0n) yield invalid(path, amount, 'must be an integer');
  if (!isHugePages(resource)) return;
  const page = parseQuantity(resource.slice(HUGE_PAGES.length)) ?? 0n;
  if (page <= 0n || nanos % page !== 0n) yield invalid(path, amount, 'must be a multiple of the page size');
}

function* boundFindings(
  path: FieldPath,
  { resource, request, limits }: { resource: string; request: string | number; limits: Quantities },
): Generator<Finding> {
  const limit = limits[resource];
  const shared = isShared(resource);
  if (limit === undefined) {
    if (!shared) yield invalid(path, request, 'needs a limit of the same amount: it is not shared');
    return;
  }
  const order = compareQuantities(roundedUpToMilli(request), roundedUpToMilli(limit)) ?? 0;
  if (!shared && order !== 0) yield invalid(path, request, `must be equal to the limit ${limit}: it is not shared`);
  else if (order > 0) yield invalid(path, request, `must not exceed the limit ${limit}`);
}
