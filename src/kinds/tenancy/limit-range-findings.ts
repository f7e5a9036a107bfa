import {
  amountFindings,
  compareQuantities,
  type FieldPath,
  type Finding,
  forbidden,
  invalid,
  labelKeyFindings,
  NANOS_PER_MILLI,
  NANOS_PER_UNIT,
  parseQuantity,
  roundedUpToMilli,
} from '../../sdk/index.ts';
import { containerResourceFindings, isShared } from './container-resource.ts';
import { containerDefaults } from './limit-range-defaults.ts';
import type { Limit, LimitRangeItem } from './limit-range-schema.ts';
import type { Quantity } from './quantity-schema.ts';
import { isQuotaResource } from './resource-quota-findings.ts';

/** Members that hold amounts by resource. */
const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Pairs of which the first must not exceed the second. */
const ORDERED = [
  ['min', 'max'],
  ['min', 'defaultRequest'],
  ['min', 'default'],
  ['defaultRequest', 'max'],
  ['defaultRequest', 'default'],
  ['default', 'max'],
] as const;

/** The first value whose thousandths do not fit an int64 (apimachinery pkg/api/resource, MaxMilliValue). */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

/** What the API server would refuse in a limit range (core validation, ValidateLimitRange). */
export function* limitRangeFindings(item: LimitRangeItem, path: FieldPath): Generator<Finding> {
  const seen = new Set<string>();
  for (const [index, limit] of item.limits.entries()) {
    const at = [...path, 'limits', index];
    if (seen.has(limit.type))
      yield { type: 'FieldValueDuplicate', path: [...at, 'type'], value: limit.type, detail: '' };
    seen.add(limit.type);
    yield* limitFindings(limit, at);
  }
}

function* limitFindings(limit: Limit, path: FieldPath): Generator<Finding> {
  for (const member of AMOUNTS) {
    for (const [resource, amount] of Object.entries(limit[member] ?? {})) {
      const at = [...path, member, { key: resource }];
      yield* limit.type === 'PersistentVolumeClaim'
        ? claimResourceFindings(at, resource)
        : containerResourceFindings(at, resource);
      yield* amountFindings(at, amount);
    }
  }
  if (limit.type === 'Pod') {
    for (const member of ['default', 'defaultRequest'] as const) {
      if (Object.keys(limit[member] ?? {}).length === 0) continue;
      yield forbidden([...path, member], 'may not be specified when `type` is Pod');
    }
  }
  if (limit.type === 'PersistentVolumeClaim' && !names(limit.min, 'storage') && !names(limit.max, 'storage')) {
    yield { type: 'FieldValueRequired', path, detail: 'either minimum or maximum storage value is required' };
  }
  for (const pair of ORDERED) yield* orderFindings(limit, pair, path);
  yield* ratioFindings(limit, path);
  yield* unsharedFindings(limit, path);
}

/** For claims the API server takes every name that it knows, to whatever effect (core validation, validateResourceName). */
function* claimResourceFindings(path: FieldPath, resource: string): Generator<Finding> {
  const problems = labelKeyFindings(path, resource);
  yield* problems;
  if (problems.length > 0 || resource.includes('/') || resource === 'storage' || isQuotaResource(resource)) return;
  yield invalid(path, resource, 'must be a standard resource type or fully qualified');
}

function* orderFindings(limit: Limit, pair: (typeof ORDERED)[number], path: FieldPath): Generator<Finding> {
  const [smaller, larger] = pair;
  for (const [resource, amount] of Object.entries(limit[smaller] ?? {})) {
    const bound = limit[larger]?.[resource];
    if (bound === undefined || (compareQuantities(amount, bound) ?? 0) <= 0) continue;
    // The value that is out of the bounds is shown where it stands: a default below the minimum is the default's fault.
    const below = smaller === 'min' && larger !== 'max';
    const at = [...path, below ? larger : smaller, { key: resource }];
    yield below
      ? invalid(at, bound, `must not be below ${smaller} ${amount}`)
      : invalid(at, amount, `must not exceed ${larger} ${bound}`);
  }
}

function* ratioFindings(limit: Limit, path: FieldPath): Generator<Finding> {
  for (const [resource, ratio] of Object.entries(limit.maxLimitRequestRatio ?? {})) {
    const at = [...path, 'maxLimitRequestRatio', { key: resource }];
    if ((compareQuantities(ratio, 1) ?? 0) < 0) yield invalid(at, ratio, 'must not be below 1');
    const [min, max] = [limit.min?.[resource], limit.max?.[resource]];
    if (min === undefined || max === undefined || !exceedsQuotient(ratio, max, min)) continue;
    yield invalid(at, ratio, `must not exceed max ${max} divided by min ${min}`);
  }
}

/** Compares as the API server does: in thousandths while all are small enough, else in wholes, and by floating point. */
function exceedsQuotient(...quantities: readonly [ratio: Quantity, max: Quantity, min: Quantity]): boolean {
  const nanos = quantities.flatMap((quantity) => parseQuantity(roundedUpToMilli(quantity)) ?? []);
  const inWholes = nanos.map((amount) => roundedUp(amount, NANOS_PER_UNIT));
  const inMilli = inWholes.every((amount) => amount < MAX_MILLI_VALUE);
  const [ratio, max, min] = inMilli ? nanos.map((amount) => roundedUp(amount, NANOS_PER_MILLI)) : inWholes;
  if (ratio === undefined || max === undefined || min === undefined) return false;
  return Number(ratio) / (inMilli ? 1000 : 1) > Number(max) / Number(min);
}

function roundedUp(nanos: bigint, unit: bigint): bigint {
  return (nanos + unit - 1n) / unit;
}

/** What containers get whole is requested as it is limited. */
function* unsharedFindings(limit: Limit, path: FieldPath): Generator<Finding> {
  if (limit.type === 'Pod') return;
  const limits = limit.type === 'Container' ? containerDefaults(limit).default : (limit.default ?? {});
  for (const [resource, request] of Object.entries(limit.defaultRequest ?? {})) {
    const bound = Object.hasOwn(limits, resource) ? limits[resource] : undefined;
    if (bound === undefined || isShared(resource) || (compareQuantities(request, bound) ?? 0) === 0) continue;
    const detail = `must be equal to the default limit ${bound}: it is not shared`;
    yield invalid([...path, 'defaultRequest', { key: resource }], request, detail);
  }
}

function names(amounts: Readonly<Record<string, Quantity>> | undefined, resource: string): boolean {
  return amounts !== undefined && Object.hasOwn(amounts, resource);
}
