import { type FieldPath, formatPath } from '../base/field-path.ts';
import { isRecord } from '../base/json.ts';
import { memberSchema, ROOT_MEMBERS } from './prepare.ts';
import type { StructuralSchema } from './structural.ts';

/** Paths of members that pruning would remove, sorted, in the spelling of `unknown field "spec.list[0].size"`. */
export function unknownFieldsOf(object: unknown, root: StructuralSchema): readonly string[] {
  if (!isRecord(object)) return [];
  const known = Object.keys(object).filter((name) => !ROOT_MEMBERS.has(name));
  return known.flatMap((name) => unknownIn(object, name, root, [])).toSorted(byText);
}

function unknownIn(
  object: Readonly<Record<string, unknown>>,
  name: string,
  schema: StructuralSchema,
  parent: FieldPath,
): readonly string[] {
  const path = [...parent, name];
  const member = memberSchema(schema, name);
  if (member !== undefined) return unknownBelow(object[name], member, path);
  return schema['x-kubernetes-preserve-unknown-fields'] === true ? [] : [formatPath(path)];
}

function unknownBelow(value: unknown, schema: StructuralSchema, path: FieldPath): readonly string[] {
  const { items } = schema;
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((item, index) => unknownBelow(item, items, [...path, index]));
  }
  return isRecord(value) ? Object.keys(value).flatMap((name) => unknownIn(value, name, schema, path)) : [];
}

function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
