import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { invariant } from '../base/errors.ts';
import { INTEGER_FORMATS, isInt64, STRING_FORMATS } from './formats.ts';
import { boundedPatterns } from './pattern-engine.ts';
import type { StructuralSchema } from './structural.ts';

interface Failed<Keyword extends string, Params> {
  readonly keyword: Keyword;
  readonly params: Params;
  /** JSON pointer of the value. */
  readonly instancePath: string;
  /** The value that failed. */
  readonly data: unknown;
  /** What the schema node declares: type as the API server names it (`integer,string` for either), and the format. */
  readonly declared: { readonly type: string; readonly format?: string };
}

type SizeWord = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties';

/** One failed check: which word of the schema, on which value. */
export type SchemaError =
  | Failed<'type' | 'format' | 'anyOf', unknown>
  | Failed<'required', { readonly missingProperty: string }>
  | Failed<'enum', { readonly allowedValues: readonly unknown[] }>
  | Failed<'pattern', { readonly pattern: string }>
  | Failed<SizeWord | 'minimum' | 'maximum', { readonly limit: number }>;

const KEYWORDS: Readonly<Record<SchemaError['keyword'], true>> = {
  type: true,
  format: true,
  anyOf: true,
  required: true,
  enum: true,
  pattern: true,
  minLength: true,
  maxLength: true,
  minItems: true,
  maxItems: true,
  minProperties: true,
  maxProperties: true,
  minimum: true,
  maximum: true,
};

/**
 * Formats of our own for schemas that name none: the API server holds whole numbers to the range of int64 all the same. In an
 * int-or-string a number that is not whole already fails by its type.
 */
const IMPLIED_FORMATS: Readonly<Record<string, (value: number) => boolean>> = {
  integer: isInt64,
  'int-or-string': (value) => !Number.isInteger(value) || isInt64(value),
};

/** A structural schema as compiled functions; both leave their argument as it is. */
export interface Validator {
  /** The first failed check, or `undefined`. The way for valid objects, and for objects of any size. */
  first(object: unknown): SchemaError | undefined;
  /** Every failed check, in the order the server makes them. Costs an object a defect: only for objects of bounded size. */
  all(object: unknown): readonly SchemaError[];
}

/**
 * Compiles a schema in which `structureProblems` finds nothing wrong. Root members in `untouched` are not looked at. Takes
 * milliseconds: once a schema, never once an object.
 */
export function compileValidator(root: StructuralSchema, untouched: ReadonlySet<string>): Validator {
  const properties = Object.entries(root.properties ?? {}).filter(([name]) => !untouched.has(name));
  const schema = ajvSchema({ ...root, properties: Object.fromEntries(properties) });
  const quick = newAjv({ allErrors: false }).compile(schema);
  const thorough = newAjv({ allErrors: true }).compile(schema);
  return {
    first: (object) => failures(quick, object)[0],
    all: (object) => failures(thorough, object),
  };
}

function newAjv(options: { readonly allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    allErrors: options.allErrors,
    strict: true,
    // The schema is our own translation; loading the meta-schema would take longer than all the rest.
    meta: false,
    validateSchema: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
    verbose: true,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    logger: false,
    // Optimising the generated code takes as long as generating it, and V8 does the same when it matters.
    code: { regExp: boundedPatterns, optimize: false },
  });
  for (const [name, validate] of Object.entries(STRING_FORMATS)) ajv.addFormat(name, { type: 'string', validate });
  const ofNumbers = { ...INTEGER_FORMATS, ...IMPLIED_FORMATS };
  for (const [name, validate] of Object.entries(ofNumbers)) ajv.addFormat(name, { type: 'number', validate });
  return ajv;
}

/** Runs a compiled function and takes its errors away from it, so that it does not hold on to the object. */
function failures(validate: ValidateFunction, object: unknown): readonly SchemaError[] {
  if (validate(object)) return [];
  const errors = validate.errors ?? [];
  validate.errors = null;
  // A failed anyOf is told once, by itself: which of its branches was meant is not known.
  return errors.filter((error) => !/\/anyOf\/\d+\//.test(error.schemaPath)).map(schemaError);
}

function schemaError(error: ErrorObject): SchemaError {
  const { keyword, params, instancePath, data, parentSchema } = error;
  invariant(Object.hasOwn(KEYWORDS, keyword), `ajv fails only on words that ajvSchema writes, not on ${keyword}`);
  // ajv types neither its parameters nor the schema; both are as ajvSchema wrote them.
  return { keyword, params, instancePath, data, declared: declaredBy(parentSchema ?? {}) } as SchemaError;
}

function declaredBy(schema: AnySchemaObject): SchemaError['declared'] {
  // ajvSchema writes types as lists and formats as names.
  const { type, format } = schema as { readonly type?: readonly string[]; readonly format?: string };
  const types = (type ?? []).filter((word) => word !== 'null').join(',');
  return format === undefined || Object.hasOwn(IMPLIED_FORMATS, format) ? { type: types } : { type: types, format };
}

/** The part of a structural schema that refuses values, in ajv's words. Pruning and defaulting are done elsewhere. */
function ajvSchema(schema: StructuralSchema): AnySchemaObject {
  const { properties, additionalProperties, items, anyOf } = schema;
  const words = {
    type: ajvTypes(schema),
    format: schema.format ?? impliedFormat(schema),
    enum: schema.enum,
    pattern: schema.pattern,
    minLength: schema.minLength,
    maxLength: schema.maxLength,
    minimum: schema.minimum,
    maximum: schema.maximum,
    minItems: schema.minItems,
    maxItems: schema.maxItems,
    minProperties: schema.minProperties,
    maxProperties: schema.maxProperties,
    required: schema.required,
    properties: properties === undefined ? undefined : ajvMembers(properties),
    additionalProperties: additionalProperties === undefined ? undefined : ajvSchema(additionalProperties),
    items: items === undefined ? undefined : ajvSchema(items),
    anyOf: anyOf?.map(ajvSchema),
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

function impliedFormat(schema: StructuralSchema): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return schema.type === 'integer' ? 'integer' : undefined;
}

function ajvTypes(schema: StructuralSchema): readonly string[] | undefined {
  const nullable = schema.nullable === true ? ['null'] : [];
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string', ...nullable];
  return schema.type === undefined ? undefined : [schema.type, ...nullable];
}

function ajvMembers(members: Readonly<Record<string, StructuralSchema>>): Readonly<Record<string, AnySchemaObject>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, ajvSchema(member)]));
}
