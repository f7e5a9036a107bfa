import { posix } from 'node:path';
import { isRecord } from '../../src/base/json.ts';
import type { Manifest } from '../../src/base/object.ts';
import { applyJsonPatch } from '../../src/devcluster/json-patch.ts';
import type { DocumentFile } from '../../src/manifests/kustomization.ts';

/**
 * What `kubectl kustomize` makes of a folder, as far as our own files go: resources, components and JSON patches by kind and name.
 * It shares no code with what writes the patches. A suite on the real kubectl shows that both read the files alike.
 */
export function buildKustomization(files: readonly DocumentFile[], folder: string): readonly Manifest[] {
  const documents = new Map(files.map((file) => [file.path, file.documents]));
  return resolved(documents, folder, []);
}

type Documents = ReadonlyMap<string, readonly object[]>;

function resolved(documents: Documents, folder: string, inherited: readonly Manifest[]): readonly Manifest[] {
  const kustomization = documents.get(`${folder}/kustomization.yaml`)?.[0];
  if (!isRecord(kustomization)) throw new Error(`There is no ${folder}/kustomization.yaml`);
  const own = texts(kustomization['resources']).flatMap((name) => {
    const path = posix.join(folder, name);
    // A file of ours holds objects alone.
    return (documents.get(path) as readonly Manifest[] | undefined) ?? resolved(documents, path, []);
  });
  let objects: readonly Manifest[] = [...inherited, ...own];
  for (const name of texts(kustomization['components']))
    objects = resolved(documents, posix.join(folder, name), objects);
  for (const patch of records(kustomization['patches'])) {
    const operations = documents.get(posix.join(folder, String(patch['path'])))?.[0];
    const isMeant = matcher(patch['target']);
    if (!objects.some(isMeant)) throw new Error(`${folder}: ${String(patch['path'])} meets no object`);
    // A patched object stays an object.
    objects = objects.map((object) => (isMeant(object) ? (applyJsonPatch(object, operations) as Manifest) : object));
  }
  return objects;
}

function matcher(target: unknown): (object: Manifest) => boolean {
  const { kind, name } = isRecord(target) ? target : {};
  return (object) => object.kind === kind && (name === undefined || object.metadata.name === name);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Objects by kind and name, to compare installations whatever the order of their objects. */
export function byName(objects: readonly Manifest[]): Readonly<Record<string, Manifest>> {
  const entries = objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const);
  if (new Set(entries.map(([name]) => name)).size !== entries.length) throw new Error('An object is there twice');
  return Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b)));
}
