import { type Finding, type ImportStatement, packageOf, type Project, type SourceFile } from './project.ts';
import { ownersOfPackage, socketlessNames, socketModules, socketRooms, tierOfRoom } from './rooms.ts';

/** Imports point only downward; rooms of one tier do not know each other. Type imports count. */
export function tierFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) => [
    ...(tierOfRoom[file.room] === undefined ? [{ path: file.path, message: `room ${file.room} has no tier` }] : []),
    ...file.imports.flatMap((statement) => upwardImport(file, statement)),
  ]);
}

function upwardImport(file: SourceFile, { target, line }: ImportStatement): readonly Finding[] {
  if (target === undefined) return [];
  if (!target.startsWith('src/')) return [{ path: file.path, line, message: `imports ${target}, which is not in src` }];
  const room = target.split('/')[1] ?? '';
  const from = tierOfRoom[file.room] ?? -1;
  const to = tierOfRoom[room] ?? 99;
  if (room === file.room || to < from) return [];
  return [{ path: file.path, line, message: `${file.room} (tier ${from}) imports ${room} (tier ${to})` }];
}

/** What several kinds share. */
const sharedByKinds: readonly string[] = ['tenancy', 'vault'];

/** Another kind is known by what its index shows. */
export function kindFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) =>
    file.imports.flatMap(({ target, line }) => {
      const [room, kind = '', rest] = target?.split('/').slice(1) ?? [];
      const isInside = room === 'kinds' && rest !== undefined && rest !== 'index.ts' && !sharedByKinds.includes(kind);
      if (!isInside || file.path.startsWith(`src/kinds/${kind}/`)) return [];
      return [{ path: file.path, line, message: `imports ${target} past the index of ${kind}` }];
    }),
  );
}

/** Each package is imported only by the rooms that own it, sockets only by the rooms that talk to the outside. */
export function ownerFindings({ sources }: Project): readonly Finding[] {
  return sources.flatMap((file) =>
    file.imports.flatMap((statement) => {
      const owners = ownersOf(statement);
      if (owners === undefined || owners.includes(file.room)) return [];
      const who = owners.length === 0 ? 'no room' : owners.join(' and ');
      const message = `${file.room} imports ${statement.specifier}, which ${who} may`;
      return [{ path: file.path, line: statement.line, message }];
    }),
  );
}

function ownersOf({ specifier, typeOnly, clause }: ImportStatement): readonly string[] | undefined {
  if (socketModules.includes(specifier)) return typeOnly || opensNothing(clause) ? undefined : socketRooms;
  const name = packageOf(specifier);
  return name === undefined ? undefined : (ownersOfPackage[name] ?? []);
}

function opensNothing(clause: string): boolean {
  const names = /^\{(?<names>[^}]*)\}$/
    .exec(clause)
    ?.groups?.['names']?.split(',')
    .map((name) => name.trim());
  return names?.every((name) => name === '' || name.startsWith('type ') || socketlessNames.includes(name)) === true;
}

/** No file reaches itself by imports, types included; a lazy `import()` is no cycle. */
export function cycleFindings({ sources }: Project): readonly Finding[] {
  const imports = new Map(sources.map((file) => [file.path, staticTargets(file)]));
  const done = new Set<string>();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) findings.push({ path, message: `cycle ${[...trail.slice(start), path].join(' -> ')}` });
    if (start >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return findings;
}

function staticTargets(file: SourceFile): readonly string[] {
  return file.imports.flatMap(({ target, dynamic }) => (target === undefined || dynamic ? [] : [target]));
}

/** What `run` can reach holds neither the embedded API server nor the test kit. */
export function productionFindings({ sources }: Project): readonly Finding[] {
  const files = new Map(sources.map((file) => [file.path, file]));
  const cameFrom = new Map<string, string>([['src/cli/run.ts', '']]);
  for (const path of cameFrom.keys()) {
    for (const { target } of files.get(path)?.imports ?? [])
      if (target !== undefined && !cameFrom.has(target)) cameFrom.set(target, path);
  }
  return [...cameFrom].flatMap(([path, importer]) =>
    /^src\/(?:devcluster|testkit)\//.test(path) ? [{ path: importer, message: `leads run to ${path}` }] : [],
  );
}
