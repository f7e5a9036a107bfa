import { type Manifest, STAGE_LABEL, type StringMap, withOwnership } from '../../sdk/index.ts';
import type { ClusterConfig } from '../clusterconfig/index.ts';
import type { TeamConfig } from '../teamconfig/index.ts';
import { ADOPTED_ANNOTATION, MANAGED_ANNOTATIONS_ANNOTATION, MANAGED_LABELS_ANNOTATION } from './metadata-keys.ts';
import type { NamespaceObject } from './owned-namespace.ts';
import type { Environment } from './schema.ts';

/** What a Namespace's own keys are made of. */
export interface NamespaceSource {
  readonly environment: Environment;
  readonly config: ClusterConfig;
  /** Absent where the Environment has none, or it cannot be found. */
  readonly team?: TeamConfig;
  /** Labels to keep whatever the specs say, for as long as a team that may have given them cannot be found. */
  readonly keptLabels?: StringMap;
}

/**
 * The keys we own on a Namespace, and nothing else: everybody may add more. What comes from specs is noted in annotations, so
 * that a key that is taken out of a spec is taken off the Namespace.
 */
export function namespaceManifest(name: string, source: NamespaceSource, adopted: boolean): Manifest {
  const { environment, config, team, keptLabels } = source;
  const labels = {
    ...keptLabels,
    ...podSecurityLabels(config.spec.podSecurity),
    ...team?.spec.labels,
    ...environment.spec.namespaceLabels,
  };
  const annotations = { ...environment.spec.namespaceAnnotations };
  const manifest: Manifest = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: { ...labels, [STAGE_LABEL]: environment.spec.stage },
      annotations: {
        ...annotations,
        ...keysNote(MANAGED_LABELS_ANNOTATION, labels),
        ...keysNote(MANAGED_ANNOTATIONS_ANNOTATION, annotations),
        ...(adopted ? { [ADOPTED_ANNOTATION]: 'true' } : {}),
      },
    },
  };
  return withOwnership(manifest, environment);
}

/** Keys of a Namespace, split as its metadata is. */
export interface MetadataKeys {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/** Keys that an object's own note says came from specs. */
export function notedKeys({ metadata }: Pick<Manifest, 'metadata'>, member: keyof MetadataKeys): readonly string[] {
  const annotation = member === 'labels' ? MANAGED_LABELS_ANNOTATION : MANAGED_ANNOTATIONS_ANNOTATION;
  return metadata.annotations?.[annotation]?.split(',').filter((key) => key !== '') ?? [];
}

/** Keys that came from a spec once and are in none any more. */
export function outdatedKeys(live: NamespaceObject, desired: Manifest): MetadataKeys {
  const gone = (keys: readonly string[], wanted: StringMap = {}, present: StringMap = {}): readonly string[] =>
    keys.filter((key) => !Object.hasOwn(wanted, key) && Object.hasOwn(present, key));
  return {
    labels: gone(notedKeys(live, 'labels'), desired.metadata.labels, live.metadata.labels),
    annotations: gone(
      [...notedKeys(live, 'annotations'), MANAGED_LABELS_ANNOTATION, MANAGED_ANNOTATIONS_ANNOTATION],
      desired.metadata.annotations,
      live.metadata.annotations,
    ),
  };
}

/** Keys whose value on the live Namespace is another. */
export function differingKeys(live: NamespaceObject, desired: Manifest): MetadataKeys {
  const differing = (wanted: StringMap = {}, present: StringMap = {}): readonly string[] =>
    Object.entries(wanted).flatMap(([key, value]) => (present[key] === value ? [] : [key]));
  return {
    labels: differing(desired.metadata.labels, live.metadata.labels),
    annotations: differing(desired.metadata.annotations, live.metadata.annotations),
  };
}

function podSecurityLabels({ enforce, warn, audit }: ClusterConfig['spec']['podSecurity']): StringMap {
  const prefix = 'pod-security.kubernetes.io';
  return {
    [`${prefix}/enforce`]: enforce,
    [`${prefix}/warn`]: warn,
    ...(audit === undefined ? {} : { [`${prefix}/audit`]: audit }),
  };
}

function keysNote(annotation: string, keys: StringMap): StringMap {
  const names = Object.keys(keys).toSorted();
  return names.length === 0 ? {} : { [annotation]: names.join(',') };
}
