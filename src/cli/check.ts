import { Snapshot } from '../app/snapshot.ts';
import { parseArguments, UsageError } from '../app/flag.ts';
import { nearest } from '../app/nearest.ts';
import { formatPath, type FieldPath } from '../base/field-path.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { apiVersionOf, formatRef, keyOf } from '../base/resource.ts';
import { formatViolation, type Violation } from '../base/violation.ts';
import { evaluateRules } from '../rules/evaluate.ts';
import type { Kind } from '../sdk/kind.ts';
import type { CommandContext } from './command.ts';
import { type FileObject, type FileProblem, readManifestFiles } from './manifest-files.ts';

/** Help of `homeostat check`. */
export function usage(): string {
  return [
    'Usage: homeostat check FILE...',
    '',
    'Checks manifests without a cluster: the schema, unknown fields and the rules that admission runs.',
    'Objects of the same files are found when a rule looks for one; what a rule cannot know without a cluster is a warning.',
    'A FILE may hold several documents, and may be a folder. Exit code 1 when there is a problem.',
  ].join('\n');
}

/** `homeostat check`: prints `file:line: object: problem`. */
export async function command({ kinds, argv, env, terminal }: CommandContext): Promise<number> {
  const { words } = parseArguments({}, argv, env);
  if (words.length === 0) throw new UsageError('homeostat check needs a FILE, or a folder of files');
  const { objects, problems } = await readManifestFiles(words);
  const own = objects.flatMap((object) => {
    const kind = kindOf(object.manifest, kinds);
    return kind === undefined ? [] : [{ ...object, kind }];
  });
  const lookup = lookupOf(objects, kinds);
  const found = [
    ...problems.map((problem): Finding => ({ ...problem, severity: 'deny' })),
    ...objects.flatMap((object) => strangersOf(object, kinds)),
    ...repeatedObjects(own),
    ...own.flatMap((object) => findingsOf(object, lookup)),
  ];
  for (const { file, line, message, severity } of found) {
    const warning = severity === 'warn' ? `${terminal.style('yellow', 'warning:')} ` : '';
    terminal.out(`${file}:${line}: ${warning}${message}`);
  }
  const denied = found.filter(({ severity }) => severity === 'deny').length;
  const others = objects.length - own.length;
  const skipped = others === 0 ? '' : `, ${count(others, 'object')} of other kinds not`;
  const warned = found.length - denied;
  const warnings = warned === 0 ? '' : `, ${count(warned, 'warning')}`;
  terminal.out(`${count(own.length, 'object')} checked${skipped}: ${count(denied, 'problem')}${warnings}.`);
  return denied === 0 ? 0 : 1;
}

interface OwnObject extends FileObject {
  readonly kind: Kind;
}

interface Finding extends FileProblem {
  readonly severity: Violation['severity'];
}

function kindOf({ apiVersion, kind }: Manifest, kinds: readonly Kind[]): Kind | undefined {
  return kinds.find(({ type }) => type.kind === kind && apiVersionOf(type) === apiVersion);
}

/** What the files hold, as the caches of the controller would. */
function lookupOf(objects: readonly FileObject[], kinds: readonly Kind[]): Snapshot {
  const snapshot = Snapshot.empty(kinds);
  const types = kinds.flatMap((kind) => [kind.type, ...kind.watches.map(({ type }) => type)]);
  for (const { manifest } of objects) {
    const type = types.find((known) => known.kind === manifest.kind && apiVersionOf(known) === manifest.apiVersion);
    const object = withIdentity(manifest);
    if (type !== undefined) snapshot.put(type, kindOf(manifest, kinds)?.schema.prepare(object) ?? object);
  }
  return snapshot;
}

function findingsOf({ kind, manifest, placeOf }: OwnObject, lookup: Snapshot): readonly Finding[] {
  const name = formatRef({ kind: manifest.kind, ...keyOf(manifest) });
  const finding = (path: FieldPath, text: string, severity: Violation['severity']): Finding => ({
    ...placeOf(path),
    message: `${name}: ${text}`,
    severity,
  });
  const unknown = kind.schema.unknownFields(manifest).map((field) => {
    const path = pathOf(field, manifest);
    return finding(path, `unknown field "${field}"`, 'deny');
  });
  const object = kind.schema.prepare(withIdentity(manifest));
  const broken = kind.schema.violations(object);
  const context = { lookup, operatorNamespace: 'homeostat-system' };
  const violations = broken.length > 0 ? broken : evaluateRules(kind.rules, { type: 'create', after: object }, context);
  return [
    ...unknown,
    ...violations.map((violation) => {
      const missing = (violation.restsOn ?? []).filter(
        ({ type, key }) => !lookup.holds(type) || lookup.get(type, key) === undefined,
      );
      const names = missing.map(({ type, key }) => formatRef({ kind: type.kind, ...key }));
      const where = names.length === 0 ? '' : ` (${names.join(', ')} is in none of the files)`;
      const severity = names.length === 0 ? violation.severity : 'warn';
      return finding(violation.path, `${formatViolation(violation)}${where}`, severity);
    }),
  ];
}

/** The path that the schema spelled as text: the longest one of the object's own that is written that way. */
function pathOf(field: string, value: unknown, path: FieldPath = []): FieldPath {
  if (typeof value !== 'object' || value === null) return path;
  for (const [name, member] of Object.entries(value)) {
    const next = [...path, Array.isArray(value) ? Number(name) : name];
    const text = formatPath(next);
    if (field === text) return next;
    if (field.startsWith(`${text}.`) || field.startsWith(`${text}[`)) return pathOf(field, member, next);
  }
  return path;
}

/** An object of one of our groups that none of our kinds is: a typing error would let it pass unchecked, and fail at apply. */
function strangersOf({ manifest, placeOf }: FileObject, kinds: readonly Kind[]): readonly Finding[] {
  const [group = '', version] = manifest.apiVersion.split('/');
  const family = kinds.filter(({ type }) => type.group === group).map(({ type }) => type);
  if (family.length === 0 || kindOf(manifest, kinds) !== undefined) return [];
  const name = formatRef({ kind: manifest.kind, ...keyOf(manifest) });
  const namesake = family.find(({ kind }) => kind === manifest.kind);
  if (namesake !== undefined) {
    const message = `${name}: ${group} has no version "${version}" of ${manifest.kind}; use ${apiVersionOf(namesake)}`;
    return [{ ...placeOf(['apiVersion']), message, severity: 'deny' }];
  }
  const names = family.map(({ kind }) => kind);
  const near = nearest(manifest.kind, names);
  const hint = near === undefined ? `it has ${names.join(', ')}` : `did you mean ${near}?`;
  const message = `${name}: ${group} has no kind "${manifest.kind}"; ${hint}`;
  return [{ ...placeOf(['kind']), message, severity: 'deny' }];
}

function repeatedObjects(objects: readonly OwnObject[]): readonly Finding[] {
  const seen = new Map<string, string>();
  return objects.flatMap(({ manifest, placeOf }) => {
    const name = formatRef({ kind: manifest.kind, ...keyOf(manifest) });
    const { file, line } = placeOf(['metadata', 'name']);
    const first = seen.get(name);
    seen.set(name, first ?? `${file}:${line}`);
    if (first === undefined) return [];
    return [
      { file, line, message: `${name}: stands here a second time; it is also in ${first}`, severity: 'deny' as const },
    ];
  });
}

function withIdentity(manifest: Manifest): Unstructured {
  return { ...manifest, metadata: { uid: 'in-a-file', resourceVersion: '0', ...manifest.metadata } };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
