import { jsonEqual } from '../base/json.ts';
import type { Manifest } from '../base/object.ts';
import { objectDifference } from './object-difference.ts';

/** A generated file below `manifests/`, as one or several YAML documents. */
export interface DocumentFile {
  /** Relative path, forward slashes. */
  readonly path: string;
  readonly documents: readonly object[];
}

/** A folder of kustomize: what it takes over, adds and changes. */
export interface KustomizeFolder {
  readonly folder: string;
  /** A component is added to a kustomization, a kustomization stands alone. */
  readonly kind: 'Kustomization' | 'Component';
  /** Folders of other kustomizations, as seen from this one. */
  readonly resources: readonly string[];
  /** Folders of components, as seen from this one. */
  readonly components?: readonly string[];
  /** Objects of its own. */
  readonly objects?: readonly Manifest[];
  readonly patches?: readonly ObjectPatch[];
}

/** How one object of the taken-over ones is changed. */
export interface ObjectPatch {
  readonly object: Manifest;
  readonly operations: readonly object[];
  /** Whether every object of its kind is meant. */
  readonly everyOfKind?: boolean;
}

/** The files of such a folder. */
export function kustomizeFiles(folder: KustomizeFolder): readonly DocumentFile[] {
  const { objects = [], patches = [], components = [] } = folder;
  const isComponent = folder.kind === 'Component';
  const at = (name: string): string => `${folder.folder}/${name}`;
  const resources = [...folder.resources, ...objects.map(fileName)];
  const kustomization = {
    apiVersion: isComponent ? 'kustomize.config.k8s.io/v1alpha1' : 'kustomize.config.k8s.io/v1beta1',
    kind: folder.kind,
    ...(resources.length === 0 ? {} : { resources }),
    ...(components.length === 0 ? {} : { components }),
    ...(patches.length === 0 ? {} : { patches: patches.map(patchEntry) }),
  };
  return [
    { path: at('kustomization.yaml'), documents: [kustomization] },
    ...objects.map((object) => ({ path: at(fileName(object)), documents: [object] })),
    ...patches.map(({ object, operations }) => ({ path: at(patchName(object)), documents: [operations] })),
  ];
}

function patchEntry({ object, everyOfKind = false }: ObjectPatch): object {
  const { kind, metadata } = object;
  return { target: everyOfKind ? { kind } : { kind, name: metadata.name }, path: patchName(object) };
}

/** What turns the objects of one installation into those of another, which has all of them and more. */
export function installationDifference(
  from: readonly Manifest[],
  to: readonly Manifest[],
): { readonly objects: readonly Manifest[]; readonly patches: readonly ObjectPatch[] } {
  const objects = to.filter((object) => find(from, object) === undefined);
  const patches = to.flatMap((object): readonly ObjectPatch[] => {
    const before = find(from, object);
    if (before === undefined || jsonEqual(before, object)) return [];
    return [{ object, operations: objectDifference(before, object) }];
  });
  return { objects, patches };
}

function find(objects: readonly Manifest[], { kind, metadata }: Manifest): Manifest | undefined {
  return objects.find((other) => other.kind === kind && other.metadata.name === metadata.name);
}

/** Name of the file of an object. */
export function fileName({ kind, metadata }: Manifest): string {
  return kind === 'CustomResourceDefinition' ? `${metadata.name}.yaml` : `${kind.toLowerCase()}-${metadata.name}.yaml`;
}

function patchName(object: Manifest): string {
  return `patch-${fileName(object)}`;
}
