import { isRecord, jsonEqual } from '../../base/json.ts';
import type { StructuralSchema } from '../../schema/structural.ts';
import type { Chance } from './chance.ts';

/** Draws small changes of specs from their schema. It knows no kind: what it writes is often valid, and sometimes not. */
export class SpecEdits {
  readonly #chance: Chance;
  readonly #words: readonly string[];

  /** `words` are texts that stand in samples: names that exist, quantities, verbs. */
  constructor(chance: Chance, words: readonly string[]) {
    this.#chance = chance;
    this.#words = [...new Set([...words, ...COMMON_WORDS])];
  }

  /** A value that differs in one place; `choosing` is how often that is one that decides between ways to go. */
  edit(schema: StructuralSchema, value: unknown, choosing = 0.2): unknown {
    const places = placesIn(schema, value, []);
    const standing = places.filter((place) => place.value !== undefined);
    const choices = this.#chance.happens(choosing) ? places.filter(isChoice) : [];
    const place = this.#chance.oneOf(choices) ?? this.#chance.oneOf(this.#chance.happens(0.4) ? standing : places);
    if (place === undefined) return value;
    const alike = standing.filter((other) => isAlike(other, place)).map((other) => other.value);
    const changed = this.#chance.happens(0.5) ? this.#chance.oneOf(alike) : undefined;
    return replaceAt(value, place.path, changed ?? this.#changed(place));
  }

  /** Each member at the top that has fixed choices, drawn anew. */
  choose(schema: StructuralSchema, value: unknown): unknown {
    const choices = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      member.enum === undefined ? [] : [[name, this.#chance.oneOf(member.enum)] as const],
    );
    return { ...(isRecord(value) ? value : {}), ...Object.fromEntries(choices) };
  }

  /**
   * The same with something taken away that stands in it: an optional member, an item of a list or a key of a map; of each member at the
   * top as often as of any other, however much stands in it.
   */
  shrink(schema: StructuralSchema, value: unknown): unknown {
    const places = removablesIn(schema, value, []);
    const member = this.#chance.oneOf([...new Set(places.map(({ path }) => path[0]))]);
    const place = this.#chance.oneOf(places.filter(({ path }) => path[0] === member));
    return place === undefined ? value : replaceAt(value, place.path, this.#shrunk(place));
  }

  /** The same with a member exchanged between the first two items of a list, such as their names; `undefined` where there is none. */
  exchange(schema: StructuralSchema, value: unknown): unknown {
    const pairs = placesIn(schema, value, []).flatMap(({ path, value: list }) => {
      const [one, other] = Array.isArray(list) ? list.filter(isRecord) : [];
      if (one === undefined || other === undefined) return [];
      const members = Object.keys({ ...one, ...other }).filter((name) => !jsonEqual(one[name], other[name]));
      return members.map((name) => ({ path, name, one, other }));
    });
    const pair = this.#chance.oneOf(pairs);
    if (pair === undefined) return undefined;
    const { path, name, one, other } = pair;
    const first = replaceAt(value, [...path, 0], replaceAt(one, [name], other[name]));
    return replaceAt(first, [...path, 1], replaceAt(other, [name], one[name]));
  }

  /** Something of the wrong type in one place. */
  spoil(schema: StructuralSchema, value: unknown): unknown {
    const place = this.#chance.oneOf(placesIn(schema, value, []).filter(({ path }) => path.length > 0));
    if (place === undefined) return value;
    const wrong = place.schema.type === 'string' ? 'not { valid }' : 'wrong';
    return replaceAt(value, place.path, wrong);
  }

  #shrunk({ schema, value, optional }: Place): unknown {
    if (optional && this.#chance.happens(0.5)) return undefined;
    const at = this.#chance.fraction();
    if (Array.isArray(value)) return value.toSpliced(Math.floor(at * value.length), 1);
    if (!isRecord(value) || schema.properties !== undefined) return undefined;
    const members = Object.entries(value);
    return Object.fromEntries(members.toSpliced(Math.floor(at * members.length), 1));
  }

  #changed({ schema, value, optional }: Place): unknown {
    if (value === undefined) return this.#made(schema, 0);
    if (optional && this.#chance.happens(0.3)) return undefined;
    if (Array.isArray(value)) return this.#changedList(schema, value);
    if (isRecord(value)) return this.#changedMap(schema, value);
    if (typeof value === 'boolean') return !value;
    if (typeof value === 'number') return value + (this.#chance.happens(0.5) ? 1 : -1);
    return this.#made(schema, 0);
  }

  #changedList(schema: StructuralSchema, value: readonly unknown[]): readonly unknown[] {
    const index = this.#chance.between(0, Math.max(0, value.length - 1));
    switch (this.#chance.weighted({ remove: 3, add: 4, rename: 3, turn: 1 })) {
      case 'remove':
        return value.filter((_item, at) => at !== index);
      case 'add': {
        const made = schema.items === undefined ? undefined : this.#made(schema.items, 0);
        return made === undefined ? value : [...value, made];
      }
      case 'rename':
        return value.map((item, at) => (at === index ? this.#renamed(item) : item));
      case 'turn':
        return value.toReversed();
    }
  }

  #renamed(item: unknown): unknown {
    if (isRecord(item) && typeof item['name'] === 'string') return { ...item, name: this.#name() };
    return typeof item === 'string' ? (this.#chance.oneOf(this.#words) ?? item) : item;
  }

  #changedMap(schema: StructuralSchema, value: Readonly<Record<string, unknown>>): unknown {
    const key = this.#chance.oneOf(Object.keys(value));
    if (key !== undefined && this.#chance.happens(0.4)) {
      return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    }
    const made = schema.additionalProperties === undefined ? undefined : this.#made(schema.additionalProperties, 0);
    return made === undefined ? value : { ...value, [key ?? `example.org/${this.#name()}`]: made };
  }

  /** A value that fits as far as types, bounds and patterns say; `undefined` where none is found. */
  #made(schema: StructuralSchema, depth: number): unknown {
    if (schema.enum !== undefined) return this.#chance.oneOf(schema.enum);
    if (schema['x-kubernetes-int-or-string'] === true) return this.#chance.between(1, 20);
    switch (schema.type) {
      case 'boolean':
        return this.#chance.happens(0.5);
      case 'integer':
      case 'number':
        return (schema.minimum ?? 0) + this.#chance.between(0, 5);
      case 'array': {
        const { items, minItems = 0 } = schema;
        const length = Math.max(minItems, depth > 2 ? 0 : 1);
        const made = Array.from({ length }, () => (items === undefined ? undefined : this.#made(items, depth + 1)));
        return made.filter((item) => item !== undefined);
      }
      case 'object':
        return this.#madeObject(schema, depth);
      default:
        return this.#text(schema);
    }
  }

  #madeObject(schema: StructuralSchema, depth: number): unknown {
    const { properties = {}, required = [], additionalProperties } = schema;
    if (additionalProperties !== undefined) return { [this.#name()]: this.#made(additionalProperties, depth + 1) };
    const members = Object.entries(properties)
      .filter(([name]) => required.includes(name) || (depth < 3 && this.#chance.happens(0.3)))
      .map(([name, member]) => [name, name === 'name' ? this.#name() : this.#made(member, depth + 1)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  #text(schema: StructuralSchema): string | undefined {
    const fits = this.#words.filter((word) => isTextOf(schema, word));
    return this.#chance.oneOf(fits);
  }

  #name(): string {
    return `${this.#chance.oneOf(['app', 'web', 'job']) ?? 'app'}-${this.#chance.between(1, 4)}`;
  }
}

/** Words that fit in many places of Kubernetes. */
const COMMON_WORDS = ['a', 'app', 'view', 'edit', '1', '2', '100m', '1Gi', '64Mi', 'pods', 'Ingress', 'Egress', 'TCP'];

/** One place of a value that can be changed. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: StructuralSchema;
  /** `undefined` where nothing stands yet. */
  readonly value: unknown;
  readonly optional: boolean;
}

function placesIn(
  schema: StructuralSchema,
  value: unknown,
  path: readonly (string | number)[],
  optional = false,
): readonly Place[] {
  const here: Place = { path, schema, value, optional };
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    return [here, ...value.flatMap((item, index) => placesIn(items, item, [...path, index]))];
  }
  if (isRecord(value) && schema.properties !== undefined) {
    const { properties, required = [] } = schema;
    return Object.entries(properties).flatMap(([name, member]) =>
      placesIn(member, value[name], [...path, name], !required.includes(name)),
    );
  }
  return [here];
}

/** Places of which something can be taken away: optional ones as a whole, of lists and maps a part. */
function removablesIn(
  schema: StructuralSchema,
  value: unknown,
  path: Place['path'],
  optional = false,
): readonly Place[] {
  if (value === undefined) return [];
  const here: Place = { path, schema, value, optional };
  const { items, properties, required = [] } = schema;
  if (Array.isArray(value)) {
    const within =
      items === undefined ? [] : value.flatMap((item, index) => removablesIn(items, item, [...path, index]));
    return optional || value.length > 0 ? [here, ...within] : within;
  }
  if (isRecord(value) && properties !== undefined) {
    const within = Object.entries(properties).flatMap(([name, member]) =>
      removablesIn(member, value[name], [...path, name], !required.includes(name)),
    );
    return optional ? [here, ...within] : within;
  }
  return optional || (isRecord(value) && Object.keys(value).length > 0) ? [here] : [];
}

/** Whether a place decides between ways to go: a member at the top with fixed choices. */
function isChoice({ path, schema }: Place): boolean {
  return path.length === 1 && (schema.enum !== undefined || schema.type === 'boolean');
}

/** Whether two places are the same one of two items of a list, with different texts in them. */
function isAlike(one: Place, other: Place): boolean {
  if (typeof one.value !== 'string' || one.value === other.value || one.path.length !== other.path.length) return false;
  return one.path.every((part, index) => part === other.path[index] || typeof part === 'number');
}

function replaceAt(value: unknown, path: readonly (string | number)[], part: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return part;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((item, index) => (index === first ? replaceAt(item, rest, part) : item));
  }
  const members = isRecord(value) ? value : {};
  const next = replaceAt(members[first], rest, part);
  const others = Object.entries(members).filter(([name]) => name !== first);
  return Object.fromEntries(next === undefined ? others : [...others, [String(first), next]]);
}

function isTextOf({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: StructuralSchema, word: string) {
  if (word.length < minLength || word.length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(word);
}

/** Every text in a value, for {@link SpecEdits}. */
export function wordsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  return isRecord(value) ? Object.values(value).flatMap(wordsIn) : [];
}
