import { isRecord } from '../base/json.ts';

/**
 * Where a registered object falls short of what was rendered: the path of the first member that is missing or other, `undefined`
 * when all that was rendered stands there. What the API server adds is no difference, nor is an empty list or object it leaves out.
 */
export function firstDifference(rendered: unknown, registered: unknown, path = ''): string | undefined {
  if (rendered === undefined || (registered === undefined && isEmpty(rendered))) return undefined;
  if (Array.isArray(rendered)) {
    if (!Array.isArray(registered) || rendered.length !== registered.length) return path;
    return firstOf(rendered.map((item, index) => [item, registered[index], `${path}[${index}]`]));
  }
  if (isRecord(rendered)) {
    if (!isRecord(registered)) return path;
    return firstOf(
      Object.entries(rendered).map(([name, value]) => [
        value,
        registered[name],
        path === '' ? name : `${path}.${name}`,
      ]),
    );
  }
  return rendered === registered ? undefined : path;
}

function firstOf(pairs: readonly (readonly [unknown, unknown, string])[]): string | undefined {
  for (const [rendered, registered, path] of pairs) {
    const difference = firstDifference(rendered, registered, path);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every((member) => member === undefined);
}
