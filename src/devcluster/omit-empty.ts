import { isRecord, setOwn } from '../base/json.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { pointerText } from './schema-words.ts';

/**
 * Drops what the Go types of built-in kinds drop when they are written (`omitempty`): empty lists, empty maps and empty texts
 * of known members. Objects with known members stay, since they are pointers or structs. Custom resources keep all of these.
 */
export function omitEmpty(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => omitEmpty(item, schema.items));
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const own = schema.properties?.[name];
    const written = omitEmpty(member, own ?? schema.additionalProperties);
    if (own === undefined || !isEmpty(written, own)) setOwn(result, name, written);
  }
  return result;
}

function isEmpty(value: unknown, schema: StructuralSchema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (value === '') return schema !== pointerText;
  return isRecord(value) && schema.additionalProperties !== undefined && Object.keys(value).length === 0;
}
