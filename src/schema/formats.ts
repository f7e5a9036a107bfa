import type { StructuralSchema } from './structural.ts';

/**
 * The formats a schema may name, each as the API server reads it (kube-openapi validation/strfmt). The server ignores formats
 * it does not know; here an unknown format is refused, so that none is believed to be checked.
 */
export const STRING_FORMATS: Readonly<Record<string, (text: string) => boolean>> = { 'date-time': isDateTime };

/** Formats of whole numbers that a schema may name. */
export const INTEGER_FORMATS: Readonly<Record<string, (value: number) => boolean>> = {
  int32: (value) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
  int64: isInt64,
};

/**
 * All formats of numbers. Two are our own, for schemas that name none: the API server holds whole numbers to the range of int64 all the
 * same. In an int-or-string a number that is not whole already fails by its type.
 */
export const NUMBER_FORMATS: Readonly<Record<string, (value: number) => boolean>> = {
  ...INTEGER_FORMATS,
  integer: isInt64,
  'int-or-string': (value) => !Number.isInteger(value) || isInt64(value),
};

/** The format that values are held to: the one the schema names, else that of its type, if it has one. */
export function formatOf(schema: StructuralSchema): string | undefined {
  if (schema.format !== undefined) return schema.format;
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return schema.type === 'integer' ? 'integer' : undefined;
}

/** The range of a whole number without a format. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$/;

/**
 * RFC 3339 as the API server takes it: a `T` of either case, an offset with a colon, no leap second, and no calendar day that
 * does not exist. Offsets are not checked for range.
 */
export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = TIME.exec(time);
  if (parts === null) return false;
  const [, hours = '', minutes = '', seconds = ''] = parts;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
