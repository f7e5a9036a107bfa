import type { Random } from '../base/random.ts';

const HEX = '0123456789abcdef';

/** Deterministic randomness (mulberry32): the same seed gives the same run. */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits) text += HEX.charAt(Math.floor(next() * 16));
    return text;
  };
  return { next, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}` };
}
