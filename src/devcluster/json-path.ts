import { isRecord } from '../base/json.ts';

type Step =
  | { readonly type: 'member'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'all' }
  | { readonly type: 'filter'; readonly path: readonly string[]; readonly value: string };

const STEP =
  /\.([A-Za-z0-9_$-]+(?:\\\.[A-Za-z0-9_$-]+)*)|\['([^']+)'\]|\[(-?\d+)\]|\[(\*)\]|\[\?\(@\.([A-Za-z0-9_.-]+)\s*==\s*["']([^"']*)["']\)\]/y;

/**
 * Reads the JSONPath subset of printer columns: members (`.a`, `['a.b']`, dots escaped as `\.`), indexes, `[*]`, and the filter
 * `[?(@.member=="value")]`. Undefined for any other path.
 */
export function compileJsonPath(path: string): ((root: unknown) => readonly unknown[]) | undefined {
  const steps: Step[] = [];
  const text = path.startsWith('{') && path.endsWith('}') ? path.slice(1, -1) : path;
  STEP.lastIndex = 0;
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null) return undefined;
    steps.push(stepOf(match));
  }
  return (root) =>
    steps.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => follow(value, step)), [root]);
}

function stepOf([, member, quoted, index, all, filter, value = '']: RegExpExecArray): Step {
  if (index !== undefined) return { type: 'index', index: Number(index) };
  if (all !== undefined) return { type: 'all' };
  if (filter !== undefined) return { type: 'filter', path: filter.split('.'), value };
  return { type: 'member', name: quoted ?? member?.replaceAll('\\.', '.') ?? '' };
}

function follow(value: unknown, step: Step): readonly unknown[] {
  switch (step.type) {
    case 'member':
      return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const item: unknown = Array.isArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'all':
      return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => String(deep(item, step.path)) === step.value) : [];
  }
}

function deep(item: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), item);
}
