import { isRecord } from '../../base/json.ts';
import type { Manifest } from '../../base/object.ts';
import { apiVersionOf, groupResourceOf } from '../../base/resource.ts';
import type { StructuralSchema } from '../../schema/structural.ts';
import type { Kind } from '../../sdk/kind.ts';
import { nameOf } from '../comparable-content.ts';

/** Draws after which a change of a spec is taken although it is not valid. */
const MOST_TRIES = 6;

/** A manifest whose spec was changed and, where a few tries give one, is valid by its schema. */
export function validEdit(
  manifest: Manifest,
  kind: Kind,
  change: (schema: StructuralSchema, spec: unknown) => unknown,
): Manifest {
  let edited = manifest;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    edited = withSpec(manifest, change(specSchema(kind), manifest['spec']));
    if (kind.schema.violations(kind.schema.prepare(edited)).length === 0) break;
  }
  return edited;
}

/** Another object that asks for the same, by the name of the one and this ending. */
export function twinOf(manifest: Manifest, ending: string): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, name: `${manifest.metadata.name}-${ending}` } };
}

/** The same object with another spec. */
export function withSpec(manifest: Manifest, spec: unknown): Manifest {
  return { ...manifest, spec: isRecord(spec) ? spec : {} };
}

/** Schema of the spec of a kind. */
export function specSchema(kind: Kind): StructuralSchema {
  return kind.schema.root.properties?.['spec'] ?? {};
}

/** Whether an object is of a kind. */
export function isOf(object: Manifest, { type }: Kind): boolean {
  return object.kind === type.kind && object.apiVersion === apiVersionOf(type);
}

/** Every sample of these kinds, once: kinds that read each other share samples, of which the last one counts. */
export function samplesOf(kinds: readonly Kind[]): readonly Manifest[] {
  return [...new Map(kinds.flatMap(({ samples }) => samples).map((object) => [nameOf(object), object])).values()];
}

/** Names `plural.group` of the resources that these kinds and what they watch are. */
export function watchedBy(kinds: readonly Kind[]): readonly string[] {
  const watched = kinds.flatMap((kind) => [kind.type, ...kind.watches.map(({ type }) => type)]);
  return [...new Set(watched.map(groupResourceOf))];
}

/** Whether one of these kinds keeps something outside the cluster, and looks at it from time to time. */
export function keepsInVault(kinds: readonly Kind[]): boolean {
  return kinds.some(({ pipeline }) => pipeline?.rechecks === true);
}
