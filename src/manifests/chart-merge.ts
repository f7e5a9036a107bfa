import { isRecord, jsonEqual } from '../base/json.ts';
import { choice } from './chart-markup.ts';

/** One of the values that are merged: what holds in some case. */
export interface Alternative {
  readonly name: string;
  readonly value: unknown;
}

/** The condition under which one of the named cases holds. */
export type ConditionOf = (names: readonly string[]) => string;

/** Marks the places where alternatives differ; what all have is there once. */
export function merged(alternatives: readonly Alternative[], conditionOf: ConditionOf): unknown {
  const [first, ...others] = alternatives;
  if (others.every(({ value }) => jsonEqual(value, first?.value))) return first?.value;
  if (alternatives.every(({ value }) => isRecord(value))) return mergedMembers(alternatives, conditionOf);
  if (alternatives.every(({ value }) => Array.isArray(value))) return mergedItems(alternatives, conditionOf);
  return choice(grouped(alternatives).map(({ names, value }) => ({ condition: conditionOf(names), value })));
}

function mergedMembers(alternatives: readonly Alternative[], conditionOf: ConditionOf): object {
  const records = alternatives.map(({ name, value }) => ({ name, value: isRecord(value) ? value : {} }));
  const keys = new Set(records.flatMap(({ value }) => Object.keys(value)));
  const members = Array.from(keys, (key): readonly [string, unknown] => {
    const present = records.filter(({ value }) => value[key] !== undefined);
    const value = merged(
      present.map((record) => ({ name: record.name, value: record.value[key] })),
      conditionOf,
    );
    if (present.length === records.length) return [key, value];
    return [key, choice([{ condition: conditionOf(present.map(({ name }) => name)), value }])];
  });
  return Object.fromEntries(members);
}

interface MergedItem {
  readonly alternatives: readonly Alternative[];
}

/** Items that are equal or have one name are one item; the others stand between them, in their order. */
function mergedItems(alternatives: readonly Alternative[], conditionOf: ConditionOf): readonly unknown[] {
  let items: readonly MergedItem[] = [];
  for (const { name, value } of alternatives) {
    const added = (Array.isArray(value) ? value : []).map((item: unknown) => ({ name, value: item }));
    items = aligned(items, added);
  }
  return items.map((item) => {
    const value = merged(item.alternatives, conditionOf);
    if (item.alternatives.length === alternatives.length) return value;
    return choice([{ condition: conditionOf(item.alternatives.map(({ name }) => name)), value }]);
  });
}

function aligned(items: readonly MergedItem[], added: readonly Alternative[]): readonly MergedItem[] {
  const result: MergedItem[] = [];
  let next = 0;
  for (const alternative of added) {
    const found = items.findIndex((item, index) => index >= next && isSame(item, alternative.value));
    if (found < 0) {
      result.push({ alternatives: [alternative] });
      continue;
    }
    result.push(...items.slice(next, found));
    result.push({ alternatives: [...(items[found]?.alternatives ?? []), alternative] });
    next = found + 1;
  }
  return [...result, ...items.slice(next)];
}

function isSame({ alternatives: [known] }: MergedItem, value: unknown): boolean {
  if (jsonEqual(known?.value, value)) return true;
  const [left, right] = [known?.value, value].map((item) => (isRecord(item) ? item['name'] : undefined));
  return left !== undefined && left === right;
}

function grouped(
  alternatives: readonly Alternative[],
): readonly { readonly names: readonly string[]; readonly value: unknown }[] {
  const groups: { readonly names: readonly string[]; readonly value: unknown }[] = [];
  for (const { name, value } of alternatives) {
    const index = groups.findIndex((group) => jsonEqual(group.value, value));
    const names = [...(groups[index]?.names ?? []), name];
    if (index < 0) groups.push({ names, value });
    else groups[index] = { names, value };
  }
  return groups;
}
