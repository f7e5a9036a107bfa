import { isRecord } from '../base/json.ts';
import type { ObjectMeta, OwnerReference } from '../base/object.ts';
import type { Random } from '../base/random.ts';
import type { Violation } from '../base/violation.ts';
import { violation } from './builtin-strategies.ts';
import { isEmptyValue, type RawObject } from './raw-json.ts';
import { objectMeta } from './schema-words.ts';
import type { Strategy } from './served-resource.ts';

const KNOWN = objectMeta.properties ?? {};
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Reads metadata off the wire: unknown and empty members are dropped. `unknown` lists their paths, `wrong` the ones of a wrong type. */
export function decodeMeta(raw: unknown): {
  readonly meta: RawObject;
  readonly unknown: readonly string[];
  readonly wrong: readonly string[];
} {
  if (raw === undefined || raw === null) return { meta: {}, unknown: [], wrong: [] };
  if (!isRecord(raw)) return { meta: {}, unknown: [], wrong: ['metadata'] };
  const unknown: string[] = [];
  const wrong: string[] = [];
  const meta: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (!Object.hasOwn(KNOWN, name)) unknown.push(`metadata.${name}`);
    else if (value !== null && !fits(name, value)) wrong.push(`metadata.${name}`);
    else if (!isEmptyValue(value)) meta[name] = value;
  }
  return { meta, unknown, wrong };
}

function fits(name: string, value: unknown): boolean {
  const schema = KNOWN[name];
  switch (schema?.type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value) && (name !== 'finalizers' || value.every((item) => typeof item === 'string'));
    default:
      return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
  }
}

/** Fills in the name of an object that asks for a generated one: five characters without vowels, as the API server does. */
export function generatedName(prefix: string, random: Random): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const letter = (): string => alphabet[Math.floor(random.next() * alphabet.length)] ?? 'b';
  return `${prefix.slice(0, 58)}${Array.from({ length: 5 }, letter).join('')}`;
}

/** What is wrong with an object's metadata: names, labels, annotations, finalizers, owner references. */
export function metaViolations(meta: ObjectMeta, nameRule: Strategy['nameRule']): readonly Violation[] {
  return [
    ...nameViolations(meta.name ?? '', nameRule),
    ...Object.entries(meta.labels ?? {}).flatMap(([key, value]) => [
      ...keyViolations(['metadata', 'labels'], key),
      ...valueViolations(value),
    ]),
    ...Object.keys(meta.annotations ?? {}).flatMap((key) =>
      keyViolations(['metadata', 'annotations'], key.toLowerCase()),
    ),
    ...(meta.ownerReferences ?? []).flatMap(ownerViolations),
    ...controllerViolations(meta.ownerReferences ?? []),
    ...(meta.finalizers ?? []).flatMap(finalizerViolations),
  ];
}

function nameViolations(name: string, rule: Strategy['nameRule']): readonly Violation[] {
  const path = ['metadata', 'name'];
  if (name === '') return [violation('FieldValueRequired', path, name, 'name or generateName is required')];
  if (rule === 'path') {
    const wrong = name === '.' || name === '..' || /[/%]/.test(name);
    return wrong ? [violation('FieldValueInvalid', path, name, "may not contain '/' or '%'")] : [];
  }
  if (rule === 'label' && name.includes('.')) {
    return [violation('FieldValueInvalid', path, name, 'must not contain dots')];
  }
  const most = rule === 'label' ? 63 : 253;
  const found: Violation[] = [];
  if (!(rule === 'label' ? LABEL : SUBDOMAIN).test(name)) {
    found.push(violation('FieldValueInvalid', path, name, rule === 'label' ? LABEL_TEXT : SUBDOMAIN_TEXT));
  }
  if (name.length > most) {
    found.push(violation('FieldValueInvalid', path, name, `must be no more than ${most} bytes`));
  }
  return found;
}

function keyViolations(path: readonly string[], key: string): readonly Violation[] {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (parts.length > 2) {
    const detail = `a valid label key ${QUALIFIED_TEXT.slice('name part '.length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
    return [violation('FieldValueInvalid', path, key, detail)];
  }
  if (prefix !== undefined && !SUBDOMAIN.test(prefix)) {
    return [violation('FieldValueInvalid', path, key, `prefix part ${SUBDOMAIN_TEXT}`)];
  }
  if (!QUALIFIED.test(name)) return [violation('FieldValueInvalid', path, key, QUALIFIED_TEXT)];
  return name.length > 63 ? [violation('FieldValueInvalid', path, key, 'name part must be no more than 63 bytes')] : [];
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function finalizerViolations(finalizer: string, index: number): readonly Violation[] {
  const path = ['metadata', 'finalizers', index];
  if (finalizer.includes('/')) return keyViolations([], finalizer).map((found) => ({ ...found, path }));
  if (STANDARD_FINALIZERS.has(finalizer)) return [];
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return [{ ...violation('FieldValueInvalid', [], finalizer, detail), path }];
}

function ownerViolations(owner: OwnerReference, index: number): readonly Violation[] {
  const missing = (['apiVersion', 'kind', 'name', 'uid'] as const).filter((member) => (owner[member] ?? '') === '');
  return missing.map((member) => ({
    ...violation(
      'FieldValueRequired',
      [],
      undefined,
      member === 'apiVersion' ? 'version must not be empty' : 'must not be empty',
    ),
    path: ['metadata', 'ownerReferences', index, member],
  }));
}

function controllerViolations(owners: readonly OwnerReference[]): readonly Violation[] {
  const [first, second] = owners.filter(({ controller }) => controller === true);
  if (first === undefined || second === undefined) return [];
  const pair = `${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${pair}`;
  return [violation('FieldValueInvalid', ['metadata', 'ownerReferences'], owners, detail)];
}

function valueViolations(value: string): readonly Violation[] {
  const path = ['metadata', 'labels'];
  if (value.length > 63) return [violation('FieldValueInvalid', path, value, 'must be no more than 63 bytes')];
  return LABEL_VALUE.test(value) ? [] : [violation('FieldValueInvalid', path, value, LABEL_VALUE_TEXT)];
}
