/** Rounded to a hundredth, which is more than any figure here is good for. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
