import { type FieldPath, formatPath } from '../base/field-path.ts';
import { isRecord, jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { formatRef } from '../base/resource.ts';
import type { PlannedChange } from './planning-client.ts';

/** What becomes of an object. */
export type PlannedAction = 'add' | 'change' | 'replace' | 'destroy';

/** One field before and after; absent where it is not there. */
export interface FieldDifference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** One object of a plan. */
export interface PlannedObject {
  readonly action: PlannedAction;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Of changes and replacements. */
  readonly fields: readonly FieldDifference[];
}

/** A reconcile that would not come to its end. */
export interface HeldObject {
  /** `Environment team-a/dev`. */
  readonly object: string;
  readonly step: string;
  readonly reason: string;
  readonly message: string;
}

/** What a reconcile would do. */
export interface Plan {
  readonly changes: readonly PlannedObject[];
  readonly held: readonly HeldObject[];
  /** Objects whose controllers also keep something outside the cluster, which a plan does not ask: `VaultPolicy team-a/app`. */
  readonly outside: readonly string[];
  readonly summary: { readonly add: number; readonly change: number; readonly destroy: number };
}

const SIGN: Readonly<Record<PlannedAction, string>> = { add: '+', change: '~', replace: '-/+', destroy: '-' };

/** Members that the API server keeps for itself, which differ without meaning. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.creationTimestamp',
  'metadata.managedFields',
  'metadata.finalizers',
  'status',
]);

/** Makes the plan of what was noted and what was held. Objects that come out as they are drop out. */
export function planOf(changes: readonly PlannedChange[], rest: Pick<Plan, 'held' | 'outside'>): Plan {
  const objects = changes.flatMap((change) => plannedObject(change) ?? []);
  const count = (...actions: readonly PlannedAction[]): number =>
    objects.filter(({ action }) => actions.includes(action)).length;
  return {
    changes: objects,
    ...rest,
    summary: { add: count('add', 'replace'), change: count('change'), destroy: count('destroy', 'replace') },
  };
}

/** The plan as a person reads it. */
export function planLines({ changes, held, outside, summary }: Plan): readonly string[] {
  const unasked = outside.map((object) => `? ${object}: what it keeps outside the cluster is not planned`);
  if (changes.length === 0 && held.length === 0) {
    return [...unasked, 'No changes. Your cluster matches the configuration.'];
  }
  const { add, change, destroy } = summary;
  return [
    ...changes.flatMap((object) => [
      `${SIGN[object.action]} ${formatRef(object)}`,
      ...object.fields.map((field) => `    ${fieldLine(field)}`),
    ]),
    ...unasked,
    ...held.map(({ object, step, reason, message }) => `! ${object} stops at ${step}: ${reason}: ${message}`),
    `Plan: ${add} to add, ${change} to change, ${destroy} to destroy.`,
  ];
}

function plannedObject({ type, key, before, after }: PlannedChange): PlannedObject | undefined {
  const named = { kind: type.kind, ...key };
  if (before === undefined && after === undefined) return undefined;
  if (before === undefined) return { action: 'add', ...named, fields: [] };
  if (after === undefined) return { action: 'destroy', ...named, fields: [] };
  const fields = differences(before, after, type.kind === 'Secret');
  if (before.metadata.uid !== after.metadata.uid) return { action: 'replace', ...named, fields };
  return fields.length === 0 ? undefined : { action: 'change', ...named, fields };
}

function differences(before: Unstructured, after: Unstructured, secret: boolean): readonly FieldDifference[] {
  const found: FieldDifference[] = [];
  const walk = (old: unknown, now: unknown, path: FieldPath): void => {
    if (jsonEqual(old, now) || BOOKKEEPING.has(formatPath(path))) return;
    if (isRecord(old) && isRecord(now)) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
        walk(old[name], now[name], [...path, /^[A-Za-z_]\w*$/.test(name) ? name : { key: name }]);
      }
    } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
      for (const [index, item] of old.entries()) walk(item, now[index], [...path, index]);
    } else
      found.push(fieldDifference(path, { old, now, hidden: secret && CONFIDENTIAL.has(formatPath(path.slice(0, 1))) }));
  };
  walk(before, after, []);
  return found;
}

/** Members of a Secret that are not shown. */
const CONFIDENTIAL: ReadonlySet<string> = new Set(['data', 'stringData']);

function fieldDifference(
  path: FieldPath,
  { old, now, hidden }: { readonly old: unknown; readonly now: unknown; readonly hidden: boolean },
): FieldDifference {
  const shown = (value: unknown): unknown => (hidden ? '(not shown)' : value);
  return {
    path: formatPath(path),
    ...(old === undefined ? {} : { before: shown(old) }),
    ...(now === undefined ? {} : { after: shown(now) }),
  };
}

function fieldLine({ path, before, after }: FieldDifference): string {
  if (before === undefined) return `+ ${path}: ${JSON.stringify(after)}`;
  if (after === undefined) return `- ${path}: ${JSON.stringify(before)}`;
  return `~ ${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;
}
