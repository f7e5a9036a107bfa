const SUFFIXES: Readonly<Record<string, readonly [base: bigint, exponent: number, format: Format]>> = {
  n: [10n, -9, 'decimal'],
  u: [10n, -6, 'decimal'],
  m: [10n, -3, 'decimal'],
  '': [10n, 0, 'decimal'],
  k: [10n, 3, 'decimal'],
  M: [10n, 6, 'decimal'],
  G: [10n, 9, 'decimal'],
  T: [10n, 12, 'decimal'],
  P: [10n, 15, 'decimal'],
  E: [10n, 18, 'decimal'],
  Ki: [2n, 10, 'binary'],
  Mi: [2n, 20, 'binary'],
  Gi: [2n, 30, 'binary'],
  Ti: [2n, 40, 'binary'],
  Pi: [2n, 50, 'binary'],
  Ei: [2n, 60, 'binary'],
};
type Format = 'decimal' | 'binary' | 'exponent';

const PATTERN = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)?|[eE]([+-]?\d{1,3}))$/;
const NANO = 1_000_000_000n;
const DECIMAL_UNITS = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * The form in which the API server stores a quantity (apimachinery `resource.Quantity.String`): `1000m` becomes `1`, `1024Mi`
 * becomes `1Gi`, `0.5Gi` becomes `512Mi`. Precision below nano rounds away from zero. Undefined when it is no quantity.
 */
export function canonicalQuantity(value: string | number): string | undefined {
  const match = PATTERN.exec(String(value));
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent] = match;
  if (whole === '' && fraction === '') return undefined;
  const unit = exponent === undefined ? SUFFIXES[suffix] : ([10n, Number(exponent), 'exponent'] as const);
  if (unit === undefined) return undefined;
  const [base, power, format] = unit;
  const digits = BigInt(`${whole}${fraction}`);
  const scaled = digits * NANO * (power < 0 ? 1n : base ** BigInt(power));
  const nanos = ceilDivide(scaled, 10n ** BigInt(fraction.length) * (power < 0 ? base ** BigInt(-power) : 1n));
  return `${sign === '-' && nanos !== 0n ? '-' : ''}${show(nanos, format)}`;
}

function show(nanos: bigint, format: Format): string {
  if (nanos === 0n) return '0';
  if (format === 'binary' && nanos >= 1024n * NANO) {
    const [value, steps] = strip(ceilDivide(nanos, NANO), 1024n, BINARY_UNITS.length - 1);
    return `${value}${BINARY_UNITS[steps] ?? ''}`;
  }
  const [value, steps] = strip(nanos, 1000n, DECIMAL_UNITS.length - 1);
  if (format !== 'exponent') return `${value}${DECIMAL_UNITS[steps] ?? ''}`;
  return steps === 3 ? `${value}` : `${value}e${(steps - 3) * 3}`;
}

function strip(value: bigint, by: bigint, most: number): [value: bigint, steps: number] {
  let rest = value;
  let steps = 0;
  while (steps < most && rest % by === 0n) {
    rest /= by;
    steps += 1;
  }
  return [rest, steps];
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
