const DECIMAL = /^[1-9][0-9]*$/;

/**
 * Compares two resourceVersions of one resource: negative when `left` is older, 0 when equal, positive when newer, `undefined`
 * when either is not a positive decimal without leading zeros.
 *
 * Kubernetes guarantees this order since 1.35 (KEP-5504). The numbers may need 64 bits and more, so they are compared as
 * text, by length and then by digits, and never become a JavaScript number.
 */
export function compareResourceVersions(left: string, right: string): number | undefined {
  if (!DECIMAL.test(left) || !DECIMAL.test(right)) return undefined;
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
