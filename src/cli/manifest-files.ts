import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { errorText } from '../base/errors.ts';
import { UsageError } from '../app/flag.ts';
import type { FieldPath } from '../base/field-path.ts';
import { isRecord } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';

/** Something in a file, and where. */
export interface Place {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** One object of a file. */
export interface FileObject {
  readonly manifest: Manifest;
  /** Where a field stands; what is not there, where it should be. */
  readonly placeOf: (path: FieldPath) => Place;
}

/** What is wrong with a file before anything is known of its kinds. */
export interface FileProblem extends Place {
  readonly message: string;
}

/** What stands in some files. */
export interface ManifestFiles {
  readonly objects: readonly FileObject[];
  readonly problems: readonly FileProblem[];
}

/**
 * Reads YAML and JSON files, several documents each, and the `.yaml` and `.yml` files of folders. Files that cannot be parsed are
 * problems, not errors.
 *
 * @throws UsageError for a path that cannot be read, and where there is nothing to read in any
 */
export async function readManifestFiles(paths: readonly string[]): Promise<ManifestFiles> {
  const objects: FileObject[] = [];
  const problems: FileProblem[] = [];
  for (const file of await expanded(paths)) {
    const read = parseFile(file, await textOf(file));
    objects.push(...read.objects);
    problems.push(...read.problems);
  }
  // A check that finds nothing to check would let a mistyped folder pass for ever.
  if (objects.length + problems.length === 0) throw new UsageError(`There is no manifest in ${paths.join(', ')}`);
  return { objects, problems };
}

async function expanded(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const inside = isFolder ? (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).toSorted() : [];
    files.push(...(isFolder ? inside.map((name) => join(path, name)) : [path]));
  }
  return files;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new UsageError(`Cannot read ${file}: ${absent ? 'there is no such file or folder' : errorText(error)}`);
  }
}

function parseFile(file: string, text: string): ManifestFiles {
  const counter = new LineCounter();
  const objects: FileObject[] = [];
  const problems: FileProblem[] = [];
  for (const document of parseAllDocuments(text, { lineCounter: counter, prettyErrors: false })) {
    const at = (offset: number): Place => ({ file, line: Math.max(1, counter.linePos(offset).line) });
    problems.push(...document.errors.map((error) => ({ ...at(error.pos[0]), message: inWords(error) })));
    if (document.errors.length > 0 || document.contents === null) continue;
    const root = document.contents;
    const read = valueOf(document);
    if ('problem' in read) {
      problems.push({ ...at(startOf(root)), message: read.problem });
      continue;
    }
    for (const { manifest, prefix } of objectsOf(read.value)) {
      const placeOf = (path: FieldPath): Place => at(offsetOf(root, [...prefix, ...path]));
      if (isManifest(manifest)) objects.push({ manifest, placeOf });
      else
        problems.push({
          ...placeOf([]),
          message: 'is no Kubernetes object: apiVersion, kind and metadata.name are needed',
        });
    }
  }
  return { objects, problems };
}

/** The parser stops at aliases that unfold to very much, and cannot read what is nested without end. */
function valueOf(document: Document): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: document.toJS() };
  } catch (error) {
    return { problem: inWords(error) };
  }
}

function inWords(error: unknown): string {
  const text = errorText(error);
  if (/call stack|stack overflow/i.test(text)) return 'is nested too deeply to be read';
  return /alias count/i.test(text) ? 'has aliases that unfold to more than can be read' : text;
}

/** The object itself, or the items of a List. A document that is empty but for comments, as templates leave behind, holds none. */
function objectsOf(value: unknown): readonly { readonly manifest: unknown; readonly prefix: FieldPath }[] {
  if (value === null) return [];
  if (!isRecord(value) || value['kind'] !== 'List' || !Array.isArray(value['items']))
    return [{ manifest: value, prefix: [] }];
  return value['items'].map((manifest: unknown, index) => ({ manifest, prefix: ['items', index] }));
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return false;
  const { metadata } = value;
  return isRecord(metadata) && typeof metadata['name'] === 'string';
}

/** Offset of the deepest node along the path; the key of a member where it has one. */
function offsetOf(root: unknown, path: FieldPath): number {
  let node: unknown = root;
  let offset = startOf(root);
  for (const segment of path) {
    const member = typeof segment === 'object' ? segment.key : segment;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(member));
      if (pair === undefined) return offset;
      offset = startOf(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof member === 'number') {
      node = node.items[member];
      offset = node === undefined ? offset : startOf(node);
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number {
  // Every node that was parsed has a range.
  return isNode(node) ? ((node as Node).range?.[0] ?? 0) : 0;
}
