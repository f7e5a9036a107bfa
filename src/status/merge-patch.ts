import { isRecord, type Json, type JsonObject, jsonEqual, setOwn } from '../base/json.ts';

/**
 * The JSON merge patch (RFC 7386) that turns the members of `from` that `to` names into those of `to`; `undefined` when there is
 * nothing to change. Members of `from` that `to` leaves out are kept at the top level and removed below it, so a nested object
 * is stored exactly as given. `null` in `to` removes.
 */
export function mergePatchTo(from: unknown, to: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {};
  for (const [key, want] of Object.entries(to)) {
    if (want === undefined) continue;
    const have = isRecord(from) && Object.hasOwn(from, key) ? from[key] : undefined;
    const change = memberPatch(have, want);
    if (change !== undefined) setOwn(patch, key, change);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function memberPatch(have: unknown, want: Json): Json | undefined {
  if (want === null) return have === undefined || have === null ? undefined : null;
  if (jsonEqual(have, want)) return undefined;
  if (!isJsonObject(want) || !isRecord(have)) return want;
  const removed = Object.keys(have)
    .filter((key) => !Object.hasOwn(want, key) || want[key] === undefined)
    .map((key) => [key, null] as const);
  return { ...mergePatchTo(have, want), ...Object.fromEntries(removed) };
}

function isJsonObject(value: Json): value is JsonObject {
  return isRecord(value);
}
