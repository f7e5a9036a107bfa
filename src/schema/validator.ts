import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { type Defect, defectsOf } from './defects.ts';
import { formatOf, NUMBER_FORMATS, STRING_FORMATS } from './formats.ts';
import { boundedPatterns } from './pattern-engine.ts';
import type { StructuralSchema } from './structural.ts';

/** A structural schema as a compiled function and as a walk; both leave their argument as it is. */
export interface Validator {
  /** Whether every check holds. The way of valid objects: compiled code. */
  accepts(object: unknown): boolean;
  /** The first defects, see {@link defectsOf}. */
  defects(object: unknown, limit: number): readonly Defect[];
}

/**
 * Compiles a schema in which `structureProblems` finds nothing wrong. Root members in `untouched` are not looked at. Takes
 * milliseconds: once a schema, never once an object. Only the answer yes or no is compiled: code that also explains takes as long
 * again to make at every start, for objects that are refused.
 */
export function compileValidator(root: StructuralSchema, untouched: ReadonlySet<string>): Validator {
  const properties = Object.entries(root.properties ?? {}).filter(([name]) => !untouched.has(name));
  const schema: StructuralSchema = { ...root, properties: Object.fromEntries(properties) };
  const validate: ValidateFunction = newAjv().compile(ajvSchema(schema));
  return {
    accepts: (object) => {
      const accepted = validate(object);
      // What it says about the object is not read, and must not hold on to it.
      validate.errors = null;
      return accepted;
    },
    defects: (object, limit) => defectsOf(object, schema, limit),
  };
}

function newAjv(): Ajv {
  const ajv = new Ajv({
    strict: true,
    // The schema is our own translation; loading the meta-schema would take longer than all the rest.
    meta: false,
    validateSchema: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
    messages: false,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    logger: false,
    // Optimising the generated code takes as long as generating it, and V8 does the same when it matters.
    code: { regExp: boundedPatterns, optimize: false },
  });
  for (const [name, validate] of Object.entries(STRING_FORMATS)) ajv.addFormat(name, { type: 'string', validate });
  for (const [name, validate] of Object.entries(NUMBER_FORMATS)) ajv.addFormat(name, { type: 'number', validate });
  return ajv;
}

/** The part of a structural schema that refuses values, in ajv's words. Pruning and defaulting are done elsewhere. */
function ajvSchema(schema: StructuralSchema): AnySchemaObject {
  const { properties, additionalProperties, items, anyOf } = schema;
  const words = {
    type: ajvTypes(schema),
    format: formatOf(schema),
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

function ajvTypes(schema: StructuralSchema): readonly string[] | undefined {
  const nullable = schema.nullable === true ? ['null'] : [];
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string', ...nullable];
  return schema.type === undefined ? undefined : [schema.type, ...nullable];
}

function ajvMembers(members: Readonly<Record<string, StructuralSchema>>): Readonly<Record<string, AnySchemaObject>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, ajvSchema(member)]));
}
