import type { Json } from '../../src/base/json.ts';
import { isRecord, setOwn } from '../../src/base/json.ts';
import type { Random } from '../../src/base/random.ts';
import type { StructuralSchema } from '../../src/schema/structural.ts';

/** How a generated object is treated after it was made to fit its schema. */
export type Treatment =
  | 'valid'
  | 'one-defect'
  | 'many-defects'
  | 'nulls'
  | 'unknown-fields'
  | 'big-integers'
  | 'unicode';

/** All treatments, in turn. */
export const TREATMENTS: readonly Treatment[] = [
  'valid',
  'one-defect',
  'many-defects',
  'nulls',
  'unknown-fields',
  'big-integers',
  'unicode',
];

/** Stands for a whole number that JSON.parse cannot hold, in the text of an object. */
export const BIG = 'big-integer-placeholder';

const TEXTS: readonly string[] = [
  'a',
  'dev',
  'team-a',
  'istio.io/',
  '10m',
  '2Gi',
  '1',
  'edit',
  'User',
  'eve@example.com',
  'https://example.com/x',
  '10.0.0.0/8',
  '{namespace}-{name}',
  'kube-*',
  'CC-1234',
  '#abc',
  '2026-01-01T00:00:00Z',
  'rbac.authorization.k8s.io',
];
const KEYS: readonly string[] = ['pods', 'requests.cpu', 'limits.memory', 'app', 'homeostat.io/x', 'a/b', '__proto__'];
const UNICODE: readonly string[] = ['ü', '日本', '😀', 'a\u0000b', '\u2028', 'e\u0301', 'ı', '\u00a0', '💩'.repeat(40)];
const WRONG: readonly Json[] = [
  true,
  7,
  1.5,
  -1,
  '',
  'x'.repeat(300),
  [],
  {},
  [[]],
  ['a', 'a'],
  { a: 1 },
  'UPPER case',
  1e10,
];

/** Makes objects for a schema: valid ones, and such with defects. One source of chance gives one corpus. */
export class SchemaCorpus {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A value for the schema, treated; every other one begins as the sample. */
  value(schema: StructuralSchema, treatment: Treatment, sample: Json): Json {
    const value = this.#chance(0.5) ? sample : this.#fitting(schema, 0);
    switch (treatment) {
      case 'valid':
        return value;
      case 'one-defect':
        return this.#changed(value, 1, () => this.#pick(WRONG));
      case 'many-defects':
        return this.#changed(value, 6, () => this.#pick(WRONG));
      case 'nulls':
        return this.#changed(value, 3, () => null);
      case 'unknown-fields':
        return this.#changed(value, 3, (old) =>
          isRecord(old) ? withMember(old, this.#pick(['zzz', 'constructor', '__proto__']), 1) : old,
        );
      case 'big-integers':
        return this.#changed(value, 2, () => this.#pick<Json>([BIG, 1e19, -1e19, 2 ** 53, 1.0, 2 ** 31]));
      case 'unicode':
        return this.#changed(value, 3, (old) => (typeof old === 'string' ? this.#pick(UNICODE) : old));
    }
  }

  #fitting(schema: StructuralSchema, depth: number): Json {
    if (schema.enum !== undefined) return this.#pick(schema.enum);
    if (schema['x-kubernetes-int-or-string'] === true) return this.#chance(0.5) ? this.#pick(TEXTS) : this.#below(100);
    switch (schema.type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#list(schema, depth);
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number': {
        const minimum = schema.minimum ?? 0;
        return minimum + this.#below(Math.min(schema.maximum ?? 100, minimum + 1000) - minimum + 1);
      }
      default:
        return this.#chance(0.5);
    }
  }

  #object(schema: StructuralSchema, depth: number): Json {
    const result: Record<string, Json> = {};
    const { properties, additionalProperties, required = [] } = schema;
    for (const [name, member] of Object.entries(properties ?? {})) {
      if (required.includes(name) || this.#chance(depth < 2 ? 0.5 : 0.35))
        result[name] = this.#fitting(member, depth + 1);
    }
    if (additionalProperties === undefined) return result;
    const count = (schema.minProperties ?? 0) + this.#below(3);
    for (let index = 0; index < count; index++)
      setOwn(result, this.#pick(KEYS), this.#fitting(additionalProperties, depth + 1));
    return result;
  }

  #list({ items, minItems = 0, maxItems = 3, ...schema }: StructuralSchema, depth: number): Json {
    if (items === undefined) return [];
    const wanted = Math.min(maxItems, minItems + this.#below(3));
    const made = Array.from({ length: wanted }, () => this.#fitting(items, depth + 1));
    const keys = schema['x-kubernetes-list-map-keys'];
    if (keys === undefined || this.#chance(0.05)) return made;
    // Distinct keys, as a list map has them.
    return made.map((item, index) => {
      const [key = 'name'] = keys;
      return isRecord(item) && typeof item[key] === 'string'
        ? withMember(item, key, `${item[key].slice(0, 20)}${index}`)
        : item;
    });
  }

  #text({ pattern, minLength = 0, maxLength = 100 }: StructuralSchema): string {
    const fits = TEXTS.filter(
      (text) =>
        text.length >= minLength &&
        text.length <= maxLength &&
        (pattern === undefined || new RegExp(pattern, 'u').test(text)),
    );
    return fits.length === 0 ? 'a'.repeat(Math.max(minLength, 1)) : this.#pick(fits);
  }

  /** Changes up to `times` places, anywhere in the value. */
  #changed(value: Json, times: number, change: (old: Json) => Json): Json {
    let result = value;
    for (let time = 0; time < times; time++) result = this.#changedOnce(result, change);
    return result;
  }

  #changedOnce(value: Json, change: (old: Json) => Json): Json {
    if (Array.isArray(value) && value.length > 0 && this.#chance(0.8)) {
      const index = this.#below(value.length);
      return value.with(index, this.#changedOnce(value[index] ?? null, change)) as Json;
    }
    if (isRecord(value) && this.#chance(0.85)) {
      const names = Object.keys(value);
      if (names.length === 0) return change({});
      const name = this.#pick(names);
      // What is generated is JSON.
      return withMember(value, name, this.#changedOnce(value[name] as Json, change));
    }
    return change(value);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from');
    return item;
  }

  #below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

function withMember(record: Readonly<Record<string, unknown>>, name: string, value: Json): Json {
  const result: Record<string, Json> = {};
  for (const [key, member] of Object.entries(record)) setOwn(result, key, member);
  setOwn(result, name, value);
  return result;
}
