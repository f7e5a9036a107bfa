import { isRecord, jsonEqual, setOwn } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { formatRef, keyOf, type ObjectKey } from '../base/resource.ts';

/** How a person names an object: `ResourceQuota team-a-dev/compute`; equal for two that are about the same one. */
export function nameOf(object: { readonly kind: string; readonly metadata: ObjectKey }): string {
  return formatRef({ kind: object.kind, ...keyOf(object) });
}

/**
 * Objects by name, comparable with another life of the same cluster: uids by the name of what bears them, without times, versions and
 * histories, and of those that are not `own` without what other controllers report at their own pace.
 */
export function comparableContent(
  objects: readonly Unstructured[],
  isOwn: (object: Unstructured) => boolean,
): Readonly<Record<string, unknown>> {
  const names = new Map(objects.map((object) => [object.metadata.uid, `uid of ${nameOf(object)}`]));
  return Object.fromEntries(
    objects.map((object) => [nameOf(object), comparable(isOwn(object) ? object : withPhaseOnly(object), names)]),
  );
}

/** What is wrong with some content, compared with what was expected; empty when nothing. */
export function contentDifferences(
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): readonly string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((name) => {
    const [wanted, actual] = [expected[name], found[name]];
    if (jsonEqual(wanted, actual)) return [];
    if (actual === undefined) return [`${name} is missing`];
    if (wanted === undefined) return [`${name} is too much`];
    return [`${name} differs: ${memberDifferences(wanted, actual, '').slice(0, MOST_MEMBERS).join('; ')}`];
  });
}

/** Members of one object beyond which more say no more. */
const MOST_MEMBERS = 4;

function memberDifferences(wanted: unknown, actual: unknown, at: string): readonly string[] {
  if (jsonEqual(wanted, actual)) return [];
  if (isRecord(wanted) && isRecord(actual)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(actual)]);
    return [...names].flatMap((name) => memberDifferences(wanted[name], actual[name], `${at}.${name}`));
  }
  if (Array.isArray(wanted) && Array.isArray(actual) && wanted.length === actual.length) {
    return wanted.flatMap((item, index) => memberDifferences(item, actual[index], `${at}[${index}]`));
  }
  return [`expected ${at} to be ${JSON.stringify(wanted) ?? 'absent'}, found ${JSON.stringify(actual) ?? 'nothing'}`];
}

/** An object of another controller as far as it holds still: what it is, and whether it is going. */
function withPhaseOnly({ status, ...object }: Unstructured): unknown {
  return { ...object, phase: isRecord(status) ? status['phase'] : undefined };
}

/** Members that differ between two lives although nothing is different. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'reconcileHistory',
]);

/** A moment as Kubernetes writes it: lives differ in when. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function comparable(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return TIME.test(value) ? 'a time' : (names.get(value) ?? value);
  if (Array.isArray(value)) return value.map((item) => comparable(item, names));
  if (!isRecord(value)) return value;
  const result = {};
  for (const [name, member] of Object.entries(value)) {
    if (!INCIDENTAL.has(name)) setOwn(result, name, comparable(member, names));
  }
  return result;
}
