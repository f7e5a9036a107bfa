import { isRecord, jsonEqual, setOwn } from '../base/json.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { badRequest, notImplemented } from './status-error.ts';

const DELETE_LIST = '$deleteFromPrimitiveList/';
const ORDER = '$setElementOrder/';
type Members = Readonly<Record<string, unknown>>;

/**
 * Applies a strategic merge patch: lists with keys are merged by the first key, sets of scalars are united, other lists are
 * replaced. Understands the directives `$patch: delete|replace|merge`, `$retainKeys`, `$deleteFromPrimitiveList` and
 * `$setElementOrder`; any other is refused.
 */
export function applyStrategicPatch(target: unknown, patch: unknown, schema: StructuralSchema | undefined): unknown {
  if (!isRecord(patch)) return patch;
  const base = isRecord(target) ? target : {};
  switch (patch['$patch']) {
    case undefined:
    case 'merge':
      return mergeObject(base, patch, schema);
    case 'replace':
      return withoutDirectives(patch);
    case 'delete':
      return {};
    default:
      throw notImplemented(`the strategic merge directive $patch: ${String(patch['$patch'])} is not known`);
  }
}

function mergeObject(base: Members, patch: Members, schema: StructuralSchema | undefined): Members {
  const result: Record<string, unknown> = { ...base };
  const retain = patch['$retainKeys'];
  if (Array.isArray(retain)) {
    for (const name of Object.keys(result)) if (!retain.includes(name)) Reflect.deleteProperty(result, name);
  }
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(DELETE_LIST)) {
      const member = name.slice(DELETE_LIST.length);
      const gone: readonly unknown[] = Array.isArray(value) ? value : [];
      if (Array.isArray(result[member])) result[member] = result[member].filter((item) => !gone.includes(item));
    } else if (!name.startsWith('$')) {
      mergeMember(result, name, value, schema);
    } else if (!name.startsWith(ORDER) && name !== '$retainKeys' && name !== '$patch') {
      throw notImplemented(`the strategic merge directive ${name} is not known`);
    }
  }
  return reorder(result, patch, schema);
}

function mergeMember(result: Record<string, unknown>, name: string, value: unknown, schema?: StructuralSchema): void {
  const own = schema?.properties?.[name] ?? schema?.additionalProperties;
  const present = Object.hasOwn(result, name) ? result[name] : undefined;
  if (value === null) Reflect.deleteProperty(result, name);
  else if (Array.isArray(value)) setOwn(result, name, mergeList(Array.isArray(present) ? present : [], value, own));
  else setOwn(result, name, applyStrategicPatch(present, value, own));
}

function mergeList(
  base: readonly unknown[],
  patch: readonly unknown[],
  schema: StructuralSchema | undefined,
): readonly unknown[] {
  if (schema?.['x-kubernetes-list-type'] === 'set') return [...base, ...patch.filter((item) => !base.includes(item))];
  const key = mergeKey(schema);
  if (key === undefined || patch.some((item) => isRecord(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !isRecord(item) || item['$patch'] === undefined).map(withoutDirectives);
  }
  let result = base;
  for (const item of patch) {
    if (!isRecord(item) || item[key] === undefined) {
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
    const at = result.findIndex((present) => isRecord(present) && jsonEqual(present[key], item[key]));
    if (item['$patch'] === 'delete') result = at < 0 ? result : result.toSpliced(at, 1);
    else if (at < 0) result = [...result, withoutDirectives(item)];
    else result = result.with(at, applyStrategicPatch(result[at], item, schema?.items));
  }
  return result;
}

function mergeKey(schema: StructuralSchema | undefined): string | undefined {
  return schema?.['x-kubernetes-list-type'] === 'map' ? schema['x-kubernetes-list-map-keys']?.[0] : undefined;
}

/** Sorts lists that a `$setElementOrder` names; items it does not name keep their order, behind. */
function reorder(result: Record<string, unknown>, patch: Members, schema: StructuralSchema | undefined): Members {
  for (const [name, order] of Object.entries(patch)) {
    const member = name.slice(ORDER.length);
    const list = result[member];
    if (!name.startsWith(ORDER) || !Array.isArray(order) || !Array.isArray(list)) continue;
    const key = mergeKey(schema?.properties?.[member]);
    const idOf = (item: unknown): unknown => (key !== undefined && isRecord(item) ? item[key] : item);
    const ids = order.map(idOf);
    const rank = (item: unknown): number => {
      const at = ids.findIndex((id) => jsonEqual(id, idOf(item)));
      return at < 0 ? ids.length : at;
    };
    result[member] = list.toSorted((a, b) => rank(a) - rank(b));
  }
  return result;
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !name.startsWith('$') && member !== null);
  const result: Record<string, unknown> = {};
  for (const [name, member] of kept) setOwn(result, name, withoutDirectives(member));
  return result;
}
