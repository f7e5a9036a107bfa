import { isRecord } from '../../src/base/json.ts';
import type { Random } from '../../src/base/random.ts';

/**
 * A value between two: some members of either, some of neither, lists with an item less or in another order. Two values that were
 * drawn apart differ nearly everywhere; what a person edits differs in one place.
 */
export function mixture(random: Random, before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && random.next() < 0.5) return edited(random, before);
  if (!isRecord(before) || !isRecord(after)) return random.next() < 0.5 ? before : after;
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  const mixed = [...members].flatMap((member) => {
    if (!Object.hasOwn(before, member)) return random.next() < 0.3 ? [[member, after[member]] as const] : [];
    if (!Object.hasOwn(after, member)) return random.next() < 0.7 ? [[member, before[member]] as const] : [];
    return [[member, random.next() < 0.6 ? before[member] : mixture(random, before[member], after[member])] as const];
  });
  return Object.fromEntries(mixed);
}

function edited(random: Random, list: readonly unknown[]): readonly unknown[] {
  const at = Math.floor(random.next() * list.length);
  if (random.next() < 0.5) return list.toSpliced(at, 1);
  return list.toReversed();
}
