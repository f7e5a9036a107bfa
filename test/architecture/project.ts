import { glob, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { type ScannedText, scanText } from './source-text.ts';

/** One import or re-export. */
export interface ImportStatement {
  readonly specifier: string;
  /** Path of the imported file within the project, for a relative specifier. */
  readonly target?: string;
  readonly typeOnly: boolean;
  /** `import()` */
  readonly dynamic: boolean;
  /** What stands between `import` and `from`, as it is written. */
  readonly clause: string;
  readonly line: number;
}

/** One source file, scanned. */
export interface SourceFile extends ScannedText {
  /** With forward slashes, from the project's root: `src/base/clock.ts`. */
  readonly path: string;
  /** Folder below src; the file's own name for a file that lies in src itself. */
  readonly room: string;
  readonly text: string;
  readonly imports: readonly ImportStatement[];
}

/** The texts of a project, by path from its root. */
export type ProjectTexts = ReadonlyMap<string, string>;

/** What the rules look at. */
export interface Project {
  readonly texts: ProjectTexts;
  /** Files of src. */
  readonly sources: readonly SourceFile[];
}

/** One violation of one rule. */
export interface Finding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/** Root folder of this repository. */
export const projectFolder: string = join(import.meta.dirname, '..', '..');

/** Reads what the rules look at: sources, READMEs and documents. */
export async function readProjectTexts(folder: string = projectFolder): Promise<ProjectTexts> {
  const texts = new Map<string, string>();
  for await (const path of glob(['src/**/*.{ts,md}', 'docs/**/*.md'], { cwd: folder }))
    texts.set(path, await readFile(join(folder, path), 'utf8'));
  return texts;
}

/** Scans the sources among the texts; files that stand unchanged in `scanned` are taken from there. */
export function toProject(texts: ProjectTexts, scanned?: Project): Project {
  const known = new Map(scanned?.sources.map((file) => [file.path, file]));
  const paths = [...texts.keys()].filter((path) => path.startsWith('src/') && path.endsWith('.ts')).toSorted();
  const sources = paths.map((path) => {
    const [text = '', file] = [texts.get(path), known.get(path)];
    return file?.text === text ? file : toSourceFile(path, text);
  });
  return { texts, sources };
}

/** The line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The findings for each place where a pattern occurs in a file's code. */
export function occurrences(file: SourceFile, pattern: RegExp, message: string): readonly Finding[] {
  return [...file.code.matchAll(pattern)].map(({ index }) => ({
    path: file.path,
    line: lineAt(file.code, index),
    message,
  }));
}

function toSourceFile(path: string, text: string): SourceFile {
  const scanned = scanText(text);
  return { path, room: path.split('/')[1] ?? path, text, ...scanned, imports: readImports(path, text, scanned) };
}

const statements = /\b(?:import|export)\b(?<clause>[^'"`;()=]*?\bfrom)?\s*(?<quote>['"])/g;
const dynamicImports = /\bimport\s*\(\s*(?<quote>['"])/g;

function readImports(path: string, text: string, { code, strings }: ScannedText): readonly ImportStatement[] {
  const found: ImportStatement[] = [];
  for (const [pattern, dynamic] of [[statements, false] as const, [dynamicImports, true] as const]) {
    for (const match of code.matchAll(pattern)) {
      const quote = match.index + match[0].length - 1;
      const span = strings.find(({ start }) => start === quote);
      if (span === undefined) continue;
      const specifier = text.slice(span.start + 1, span.end - 1);
      const target = specifier.startsWith('.') ? { target: normalize(join(dirname(path), specifier)) } : {};
      const clause = match.groups?.['clause']?.replace(/\bfrom$/, '').trim() ?? '';
      const typeOnly = !dynamic && isTypeOnly(clause);
      found.push({ specifier, ...target, typeOnly, dynamic, clause, line: lineAt(text, match.index) });
    }
  }
  return found;
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = /^\s*\{(?<names>[^}]*)\}/.exec(clause)?.groups?.['names'];
  return names !== undefined && names.split(',').every((name) => name.trim() === '' || /^\s*type\s/.test(name));
}

/** The package that a bare specifier names; nothing for a relative one and for Node's own modules. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier))
    return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
