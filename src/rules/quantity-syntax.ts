import type { FieldPath } from '../base/field-path.ts';
import { parseQuantity } from '../base/quantity.ts';
import { type Finding, invalid } from './rule.ts';

/** What is wrong with a text that must be a resource quantity of any sign. */
export function quantityFindings(path: FieldPath, quantity: string | number): readonly Finding[] {
  if (parseQuantity(quantity) !== undefined) return [];
  const syntax =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' and lie within 2^63-1";
  return [invalid(path, quantity, syntax)];
}

/** What is wrong with an amount: a quantity that is not negative, as in requests, limits and quotas. */
export function amountFindings(path: FieldPath, quantity: string | number): readonly Finding[] {
  const nanos = parseQuantity(quantity);
  if (nanos === undefined) return quantityFindings(path, quantity);
  return nanos < 0n ? [invalid(path, quantity, 'must be greater than or equal to 0')] : [];
}
