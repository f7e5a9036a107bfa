import { unreachable } from '../base/errors.ts';
import { formatPath } from '../base/field-path.ts';
import type { Violation } from '../base/violation.ts';
import type { Defect } from './defects.ts';
import { isInt64 } from './formats.ts';
import type { StructuralSchema } from './structural.ts';

type Wording = Pick<Violation, 'type' | 'value' | 'detail'>;

/**
 * A failed check in the words the API server has for it (kube-openapi validation/errors/schema.go, and
 * apiextensions-apiserver pkg/apiserver/validation/validation.go for the cause). Differs on purpose where the server has no
 * path to tell: ranges of integer formats and `anyOf` are reported at their field instead of at `<nil>`.
 */
export function schemaViolation(defect: Defect): Violation {
  const { broken, path } = defect;
  const at = broken.word === 'required' ? [...path, broken.member] : path;
  return { rule: 'schema', severity: 'deny', path: at, ...wording(defect, formatPath(path)) };
}

function wording(defect: Defect, name: string): Wording {
  const { broken, value } = defect;
  switch (broken.word) {
    case 'required':
      return { type: 'FieldValueRequired', detail: '' };
    case 'type':
      return typeWording(defect, name);
    case 'enum':
      return { type: 'FieldValueNotSupported', value: scalarOf(value), detail: supported(broken.allowed) };
    case 'format':
      return formatWording(defect, name);
    case 'pattern':
      return invalid(value, `${name} in body should match '${broken.pattern}'`);
    case 'minLength':
      return invalid(value, `${name} in body should be at least ${broken.limit} chars long`);
    case 'maxLength':
      return { type: 'FieldValueTooLong', detail: `may not be more than ${counted(broken.limit, 'byte')}` };
    case 'minimum':
      return invalid(value, `${name} in body should be greater than or equal to ${broken.limit}`);
    case 'maximum':
      return invalid(value, `${name} in body should be less than or equal to ${broken.limit}`);
    case 'minItems':
      return invalid(sizeOf(value), `${name} in body should have at least ${broken.limit} items`);
    case 'minProperties':
      return invalid(sizeOf(value), `${name} in body should have at least ${broken.limit} properties`);
    case 'maxItems':
    case 'maxProperties':
      return tooMany(sizeOf(value), broken.limit);
    case 'anyOf':
      return invalid('', `${JSON.stringify(name)} must validate at least one schema (anyOf)`);
    default:
      return unreachable(broken);
  }
}

/**
 * A declared format changes the server's words for a value that is neither text nor list: it then names the format and its
 * own name for the value's type.
 */
function typeWording({ value, schema }: Defect, name: string): Wording {
  const given = typeName(value);
  const byFormat = schema.format !== undefined && !['string', 'array', 'null'].includes(given);
  const expected = byFormat ? schema.format : declaredType(schema);
  const told = byFormat ? goNumberName(value) : given;
  return { type: 'FieldValueTypeInvalid', value: told, detail: mustBe(name, expected ?? '', told) };
}

function formatWording(defect: Defect, name: string): Wording {
  const { value, schema } = defect;
  if (typeof value === 'string') {
    return { type: 'FieldValueTypeInvalid', value, detail: mustBe(name, schema.format ?? '', value) };
  }
  // Where text is allowed as well, the server speaks of the type: a number beyond int64 is no integer to it.
  if (schema.type !== 'integer') return typeWording(defect, name);
  const format = schema.format === undefined ? '(default format)' : `with format ${schema.format}`;
  return invalid('', `Checked value must be of type integer ${format} in ${name}`);
}

function declaredType(schema: StructuralSchema): string | undefined {
  return schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : schema.type;
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
