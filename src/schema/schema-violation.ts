import { unreachable } from '../base/errors.ts';
import { type FieldPath, formatPath, type PathSegment } from '../base/field-path.ts';
import type { Violation } from '../base/violation.ts';
import { isInt64 } from './formats.ts';
import type { SchemaError } from './validator.ts';

type Wording = Pick<Violation, 'type' | 'value' | 'detail'>;

/**
 * A failed check in the words the API server has for it (kube-openapi validation/errors/schema.go, and
 * apiextensions-apiserver pkg/apiserver/validation/validation.go for the cause). Differs on purpose where the server has no
 * path to tell: ranges of integer formats and `anyOf` are reported at their field instead of at `<nil>`.
 */
export function schemaViolation(error: SchemaError, root: unknown): Violation {
  const at = pathOf(error.instancePath, root);
  const path = error.keyword === 'required' ? [...at, error.params.missingProperty] : at;
  return { rule: 'schema', severity: 'deny', path, ...wording(error, formatPath(at)) };
}

function wording(error: SchemaError, name: string): Wording {
  const { keyword, data } = error;
  switch (keyword) {
    case 'required':
      return { type: 'FieldValueRequired', detail: '' };
    case 'type':
      return typeWording(error, name);
    case 'enum':
      return { type: 'FieldValueNotSupported', value: scalarOf(data), detail: supported(error.params.allowedValues) };
    case 'format':
      return formatWording(error, name);
    case 'pattern':
      return invalid(data, `${name} in body should match '${error.params.pattern}'`);
    case 'minLength':
      return invalid(data, `${name} in body should be at least ${error.params.limit} chars long`);
    case 'maxLength':
      return { type: 'FieldValueTooLong', detail: `may not be more than ${counted(error.params.limit, 'byte')}` };
    case 'minimum':
      return invalid(data, `${name} in body should be greater than or equal to ${error.params.limit}`);
    case 'maximum':
      return invalid(data, `${name} in body should be less than or equal to ${error.params.limit}`);
    case 'minItems':
      return invalid(sizeOf(data), `${name} in body should have at least ${error.params.limit} items`);
    case 'minProperties':
      return invalid(sizeOf(data), `${name} in body should have at least ${error.params.limit} properties`);
    case 'maxItems':
    case 'maxProperties':
      return tooMany(sizeOf(data), error.params.limit);
    case 'anyOf':
      return invalid('', `${JSON.stringify(name)} must validate at least one schema (anyOf)`);
    default:
      return unreachable(keyword);
  }
}

/**
 * A declared format changes the server's words for a value that is neither text nor list: it then names the format and its
 * own name for the value's type.
 */
function typeWording(error: SchemaError, name: string): Wording {
  const { declared } = error;
  const given = typeName(error.data);
  const byFormat = declared.format !== undefined && !['string', 'array', 'null'].includes(given);
  const expected = byFormat ? declared.format : declared.type;
  const value = byFormat ? goNumberName(error.data) : given;
  return { type: 'FieldValueTypeInvalid', value, detail: mustBe(name, expected ?? '', value) };
}

function formatWording(error: SchemaError, name: string): Wording {
  const { data, declared } = error;
  if (typeof data === 'string') {
    return { type: 'FieldValueTypeInvalid', value: data, detail: mustBe(name, declared.format ?? '', data) };
  }
  // Where text is allowed as well, the server speaks of the type: a number beyond int64 is no integer to it.
  if (declared.type !== 'integer') return typeWording(error, name);
  const format = declared.format === undefined ? '(default format)' : `with format ${declared.format}`;
  return invalid('', `Checked value must be of type integer ${format} in ${name}`);
}

function mustBe(name: string, expected: string, given: string): string {
  return `${name} in body must be of type ${expected}: ${JSON.stringify(given)}`;
}

function invalid(value: unknown, detail: string): Wording {
  return { type: 'FieldValueInvalid', value, detail };
}

function tooMany(actual: number, limit: number): Wording {
  return { type: 'FieldValueTooMany', value: actual, detail: `must have at most ${counted(limit, 'item')}` };
}

function supported(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)));
  return `supported values: ${words.join(', ')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : Object.keys(value ?? {}).length;
}

/** The JSON type of a value, in the API server's words. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  return typeof value;
}

function goNumberName(value: unknown): string {
  if (typeof value !== 'number') return '';
  return isInt64(value) ? 'int64' : 'float64';
}

/** A list or object is named by its type: it may be large, and its type is what is wrong with it. */
function scalarOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? typeName(value) : value;
}

/** Reads a JSON pointer back into a path; the object tells list indices from members that look like numbers. */
function pathOf(pointer: string, root: unknown): FieldPath {
  const path: PathSegment[] = [];
  let value: unknown = root;
  for (const text of pointer.split('/').slice(1)) {
    const name = text.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(name) : name);
    // The pointer was made by walking this object.
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return path;
}
