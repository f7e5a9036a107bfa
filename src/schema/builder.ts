import type { Json } from '../base/json.ts';
import type { CelRule, StructuralSchema } from './structural.ts';

declare const staticType: unique symbol;

/**
 * One schema value with the TypeScript type it describes. From it come the CRD's schema, the validator and the
 * null-prune/prune/default pipeline; the combinators of this file can only express structural schemas.
 */
export interface Schema<T> {
  readonly node: StructuralSchema;
  /** Set on members that may be absent. */
  readonly optional: boolean;
  /** Set on members the API server fills in, so that they are present after reading although not required from the user. */
  readonly defaulted: boolean;
  readonly [staticType]?: T;
}

/** A member that may be absent. */
export interface OptionalSchema<T> extends Schema<T> {
  readonly optional: true;
}

/** The TypeScript type a schema describes, after defaults have been applied. */
export type Static<S> = S extends Schema<infer T> ? T : never;

type Members = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<M extends Members> = { [K in keyof M]: M[K] extends OptionalSchema<unknown> ? K : never }[keyof M];
type Flat<T> = { readonly [K in keyof T]: T[K] };
type ObjectOf<M extends Members> = Flat<
  { [K in Exclude<keyof M, OptionalKeys<M>>]: Static<M[K]> } & { [K in OptionalKeys<M>]?: Static<M[K]> }
>;

interface Common {
  /** One or two sentences; `kubectl explain` shows it. */
  readonly description: string;
  readonly validations?: readonly CelRule[];
}

/** Text. `maxLength` counts code points and is required: an unbounded string costs CEL budget and memory. */
export function string(
  options: Common & {
    readonly maxLength: number;
    readonly minLength?: number;
    readonly pattern?: string;
    readonly format?: string;
  },
): Schema<string> {
  return schema({ type: 'string', ...rest(options) });
}

/** One of a fixed set of words. */
export function oneOf<const V extends string>(values: readonly V[], options: Common): Schema<V> {
  return schema({ type: 'string', enum: [...values], ...rest(options) });
}

/** A whole number between bounds; both lie within 2^53 - 1, beyond which JSON.parse loses digits. */
export function integer(
  options: Common & { readonly minimum: number; readonly maximum: number; readonly format?: 'int32' | 'int64' },
): Schema<number> {
  return schema({ type: 'integer', ...rest(options) });
}

/** True or false. */
export function boolean(options: Common): Schema<boolean> {
  return schema({ type: 'boolean', ...rest(options) });
}

/** A number or a string, as ports and quantities are written. */
export function intOrString(
  options: Common & { readonly pattern?: string; readonly maxLength?: number },
): Schema<number | string> {
  return schema({ 'x-kubernetes-int-or-string': true, ...rest(options) });
}

/** A list. `map` lists are keyed by members of their items and merged by key; `set` lists hold distinct scalars. */
export function list<T>(
  item: Schema<T>,
  options: Common & { readonly maxItems: number; readonly minItems?: number } & (
      | { readonly listType?: 'atomic' | 'set' }
      | { readonly listType: 'map'; readonly keys: readonly string[] }
    ),
): Schema<readonly T[]> {
  const { description, validations, maxItems, minItems, listType = 'atomic' } = options;
  return schema({
    type: 'array',
    description,
    items: item.node,
    maxItems,
    ...(minItems === undefined ? {} : { minItems }),
    'x-kubernetes-list-type': listType,
    ...('keys' in options ? { 'x-kubernetes-list-map-keys': options.keys } : {}),
    ...(validations === undefined ? {} : { 'x-kubernetes-validations': validations }),
  });
}

/** A map from text to values, `maxProperties` entries at most. */
export function map<T>(
  value: Schema<T>,
  options: Common & { readonly maxProperties: number },
): Schema<Readonly<Record<string, T>>> {
  return schema({ type: 'object', ...rest(options), additionalProperties: value.node });
}

/** An object with exactly these members; others are pruned by the API server. */
export function object<M extends Members>(members: M, options: Common): Schema<ObjectOf<M>> {
  const required = Object.keys(members).filter((name) => {
    const member = members[name];
    return member !== undefined && !member.optional && !member.defaulted;
  });
  return schema({
    type: 'object',
    ...rest(options),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.node])),
  });
}

/** JSON the API server keeps as it is. For pieces whose schema belongs to somebody else, such as a label selector's future. */
export function preserved(options: Common): Schema<Readonly<Record<string, Json>>> {
  return schema({ type: 'object', ...rest(options), 'x-kubernetes-preserve-unknown-fields': true });
}

/** The member may be absent. */
export function optional<T>(member: Schema<T>): OptionalSchema<T> {
  return { ...member, optional: true };
}

/** The API server fills the member in when it is absent. The default stands here and nowhere else. */
export function withDefault<T extends Json>(member: Schema<T>, value: T): Schema<T> {
  return { ...member, defaulted: true, node: { ...member.node, default: value } };
}

function schema<T>(node: StructuralSchema): Schema<T> {
  return { node, optional: false, defaulted: false };
}

function rest(options: object): StructuralSchema {
  const words = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    words.map(([word, value]) => [word === 'validations' ? 'x-kubernetes-validations' : word, value]),
  );
}
