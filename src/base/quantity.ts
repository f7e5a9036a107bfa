/**
 * Kubernetes resource quantities, exactly (apimachinery pkg/api/resource): no floating point, no lost digits. The unit of every
 * bigint here is the nano, the smallest step a quantity has.
 */

/** Nanos of a whole. */
export const NANOS_PER_UNIT = 10n ** 9n;

/** Nanos of a thousandth. */
export const NANOS_PER_MILLI = 10n ** 6n;

/** Quantities have the range of an int64; larger ones are refused, where the API server caps some of them silently. */
const MAX_NANOS = (2n ** 63n - 1n) * NANOS_PER_UNIT;

/** Quantities are read many times a review, and a power costs more than the rest of the reading. */
const SMALL_POWERS_OF_TEN: readonly bigint[] = Array.from({ length: 28 }, (_, power) => 10n ** BigInt(power));

/** Longer text than this is no quantity anybody meant, and reading it would cost the square of its length. */
const MAX_LENGTH = 128;

const QUANTITY = /^([+-]?)([0-9]*)(?:(\.)([0-9]*))?([A-Za-z]*)([+-]?[0-9]*)$/;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

type Format = 'decimalSI' | 'decimalExponent' | 'binarySI';

interface Suffix {
  readonly format: Format;
  readonly exponent: number;
}

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map(
  (
    [
      ['decimalSI', DECIMAL_EXPONENTS],
      ['binarySI', BINARY_EXPONENTS],
    ] as const
  ).flatMap(([format, exponents]) =>
    Object.entries(exponents).map(([word, exponent]) => [word, { format, exponent }] as const),
  ),
);

interface Parts extends Suffix {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros; `0` where none are left. */
  readonly whole: string;
  readonly fraction: string;
}

/**
 * The value of a quantity in nanos. What is finer than a nano is rounded away from zero, as the API server does. `undefined` for
 * text that is no quantity (whitespace included) and for magnitudes beyond 2^63 - 1.
 *
 * A number is read as the text JSON has for it, so that YAML's `cpu: 1` equals `cpu: "1"`.
 */
export function parseQuantity(quantity: string | number): bigint | undefined {
  const parts = partsOf(String(quantity));
  return parts === undefined ? undefined : nanosOf(parts);
}

/**
 * Compares two quantities by value: negative, zero or positive. `undefined` when one of them is no quantity.
 */
export function compareQuantities(left: string | number, right: string | number): number | undefined {
  const [leftNanos, rightNanos] = [parseQuantity(left), parseQuantity(right)];
  if (leftNanos === undefined || rightNanos === undefined) return undefined;
  if (leftNanos === rightNanos) return 0;
  return leftNanos < rightNanos ? -1 : 1;
}

/**
 * The spelling the API server gives a quantity when it is stored in a built-in resource: `1024Mi` reads back as `1Gi`, `0.5` as
 * `500m`. Spellings apimachinery takes for canonical already are kept, even where they are not (`1.500`, `+1`).
 * `undefined` as for {@link parseQuantity}.
 */
export function canonicalQuantity(quantity: string | number): string | undefined {
  const text = String(quantity);
  const parts = partsOf(text);
  const nanos = parts === undefined ? undefined : nanosOf(parts);
  if (parts === undefined || nanos === undefined) return undefined;
  if (nanos === 0n) return '0';
  return keepsSpelling(parts) ? text : written(nanos, parts.format);
}

/**
 * The quantity as the API server stores it in a list of amounts by resource, where it rounds away from zero to a
 * thousandth (core/v1 SetDefaults_ResourceList): `0.0005` becomes `1m`. What is no finer keeps its spelling, and so does text that is no quantity.
 */
export function roundedUpToMilli(quantity: string | number): string {
  const nanos = parseQuantity(quantity);
  if (nanos === undefined || nanos % NANOS_PER_MILLI === 0n) return String(quantity);
  return `${nanos / NANOS_PER_MILLI + (nanos < 0n ? -1n : 1n)}m`;
}

function partsOf(text: string): Parts | undefined {
  const match = text.length > MAX_LENGTH ? null : QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', , fraction = '', word = '', power = ''] = match;
  const suffix = suffixOf(word, power);
  if (suffix === undefined || whole + fraction === '') return undefined;
  const digits = whole.startsWith('0') || whole === '' ? whole.replace(/^0+/, '') || '0' : whole;
  const { format, exponent } = suffix;
  return { negative: sign === '-', whole: digits, fraction, format, exponent };
}

function suffixOf(word: string, power: string): Suffix | undefined {
  if (power !== '') {
    const exponent = Number(power);
    return /^[eE]$/.test(word) && Number.isSafeInteger(exponent) ? { format: 'decimalExponent', exponent } : undefined;
  }
  return SUFFIXES.get(word);
}

function nanosOf({ negative, whole, fraction, format, exponent }: Parts): bigint | undefined {
  const digits = BigInt(whole + fraction);
  if (digits === 0n) return 0n;
  const binary = format === 'binarySI';
  const scale = 9 - fraction.length + (binary ? 0 : exponent);
  // Beyond this the value is out of range, or rounds to one nano; the power itself would be a giant.
  if (scale > 2 * MAX_LENGTH) return undefined;
  const amount = binary ? digits << BigInt(exponent) : digits;
  const magnitude = scale < 0 ? dividedUp(amount, Math.min(-scale, 2 * MAX_LENGTH)) : amount * powerOfTen(scale);
  if (magnitude > MAX_NANOS) return undefined;
  return negative ? -magnitude : magnitude;
}

/** Rounded away from zero, which for a magnitude is up. */
function dividedUp(amount: bigint, power: number): bigint {
  const divisor = powerOfTen(power);
  return (amount + divisor - 1n) / divisor;
}

function powerOfTen(power: number): bigint {
  return SMALL_POWERS_OF_TEN[power] ?? 10n ** BigInt(power);
}

/** apimachinery keeps the text of what it reads on its fast way and takes for canonical (quantity.go, ParseQuantity). */
function keepsSpelling({ whole, fraction, format, exponent }: Parts): boolean {
  const digits = whole + fraction;
  if (format === 'binarySI') {
    const precision = 14 - whole.length - Math.floor((exponent * 3) / 10);
    return fraction === '' && precision >= 0 && BigInt(whole) % 8n !== 0n;
  }
  const scale = exponent - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function written(nanos: bigint, format: Format): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  const whole = magnitude / NANOS_PER_UNIT;
  const binary = format === 'binarySI' && whole >= 1024n && magnitude % NANOS_PER_UNIT === 0n;
  return sign + (binary ? writtenBinary(whole) : writtenDecimal(magnitude, format));
}

function writtenBinary(whole: bigint): string {
  let [mantissa, exponent] = [whole, 0];
  for (; mantissa % 1024n === 0n; exponent += 10) mantissa /= 1024n;
  return `${mantissa}${wordFor(BINARY_EXPONENTS, exponent)}`;
}

function writtenDecimal(magnitude: bigint, format: Format): string {
  let [mantissa, exponent] = [magnitude, -9];
  for (; mantissa % 1000n === 0n; exponent += 3) mantissa /= 1000n;
  if (format === 'decimalExponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  return `${mantissa}${wordFor(DECIMAL_EXPONENTS, exponent)}`;
}

function wordFor(exponents: Readonly<Record<string, number>>, exponent: number): string {
  return Object.entries(exponents).find(([, candidate]) => candidate === exponent)?.[0] ?? '';
}
