import {
  amountFindings,
  compareQuantities,
  type FieldPath,
  type Finding,
  forbidden,
  invalid,
  labelKeyFindings,
  parseQuantity,
} from '../../sdk/index.ts';
import { containerResourceFindings, isShared } from './container-resource.ts';
import type { Limit, LimitRangeItem } from './limit-range-schema.ts';
import type { Quantity } from './quantity-schema.ts';
import { isQuotaResource } from './resource-quota-findings.ts';

/** Quantities are parsed to this many parts of one. */
const NANOS = 1_000_000_000n;

/** Members that hold amounts by resource. */
const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

/** Pairs of which the first must not exceed the second (core validation, ValidateLimitRange). */
const ORDERED = [
  ['min', 'max'],
  ['min', 'defaultRequest'],
  ['min', 'default'],
  ['defaultRequest', 'max'],
  ['defaultRequest', 'default'],
  ['default', 'max'],
] as const;

/** What the API server would refuse in a limit range. */
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
      if (limit[member] !== undefined) yield forbidden([...path, member], 'may not be specified when `type` is Pod');
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
  if (resource.includes('/')) yield* labelKeyFindings(path, resource);
  else if (resource !== 'storage' && !isQuotaResource(resource)) {
    yield invalid(path, resource, 'must be a standard resource type or fully qualified');
  }
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
    if ((compareQuantities(ratio, 1) ?? 0) < 0) {
      yield invalid([...path, 'maxLimitRequestRatio', { key: resource }], ratio, 'must not be below 1');
    }
    const [most, least] = [nanosOf(limit.max?.[resource]), nanosOf(limit.min?.[resource])];
    // By nothing no ratio is too large.
    if (most === undefined || least === undefined || least === 0n) continue;
    if ((parseQuantity(ratio) ?? 0n) * least > most * NANOS) {
      const detail = `must not exceed max ${limit.max?.[resource]} by min ${limit.min?.[resource]}`;
      yield invalid([...path, 'maxLimitRequestRatio', { key: resource }], ratio, detail);
    }
  }
}

/** What containers get whole is requested as it is limited. */
function* unsharedFindings(limit: Limit, path: FieldPath): Generator<Finding> {
  for (const [resource, request] of Object.entries(limit.defaultRequest ?? {})) {
    const most = limit.default?.[resource];
    // A request above the limit has been told of.
    if (isShared(resource) || most === undefined || (compareQuantities(request, most) ?? 0) >= 0) continue;
    const detail = `must be equal to default ${most}: it is not shared`;
    yield invalid([...path, 'defaultRequest', { key: resource }], request, detail);
  }
}

function nanosOf(amount: Quantity | undefined): bigint | undefined {
  return amount === undefined ? undefined : parseQuantity(amount);
}

function names(amounts: Readonly<Record<string, Quantity>> | undefined, resource: string): boolean {
  return amounts !== undefined && Object.hasOwn(amounts, resource);
}
