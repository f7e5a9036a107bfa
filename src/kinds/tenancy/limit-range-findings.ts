import {
  amountFindings,
  compareQuantities,
  type FieldPath,
  type Finding,
  forbidden,
  invalid,
} from '../../sdk/index.ts';
import type { Limit, LimitRangeItem } from './limit-range-schema.ts';
import type { Quantity } from './quantity-schema.ts';

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
      yield* amountFindings([...path, member, { key: resource }], amount);
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
  }
}

function names(amounts: Readonly<Record<string, Quantity>> | undefined, resource: string): boolean {
  return amounts !== undefined && Object.hasOwn(amounts, resource);
}
