import { isRecord, setOwn } from '../base/json.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { pointerText } from './schema-words.ts';

/**
 * Drops what the Go types of built-in kinds drop when they are written (`omitempty`): empty lists, empty maps and empty texts
 * of known members. Objects with known members stay, since they are pointers or structs. Custom resources keep all of these.
 * Parts in which nothing is dropped are shared with the argument.
 */
export function omitEmpty(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.map((item) => omitEmpty(item, schema.items));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  let isSame = true;
  for (const name of Object.keys(value)) {
    const own = schema.properties?.[name];
    const written = omitEmpty(value[name], own ?? schema.additionalProperties);
    const isDropped = own !== undefined && isEmpty(written, own);
    if (!isDropped) setOwn(result, name, written);
    isSame &&= !isDropped && written === value[name];
  }
  return isSame ? value : result;
}

function isEmpty(value: unknown, schema: StructuralSchema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (value === '') return schema !== pointerText;
  return isRecord(value) && schema.additionalProperties !== undefined && Object.keys(value).length === 0;
}
