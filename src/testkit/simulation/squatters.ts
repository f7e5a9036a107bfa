import { isRecord } from '../../base/json.ts';
import type { Manifest, Unstructured } from '../../base/object.ts';
import { type ClusterState, objectsIn } from '../../devcluster/cluster-state.ts';
import { isChild } from './ownership-marks.ts';

/**
 * Objects of somebody else that stand in the way: under the names of what the samples of the kinds make, as a settled cluster holds it, and
 * without any mark of their owners. What is made inside a namespace that is itself made is left out, since nobody can have been there before.
 */
export function squattersIn(state: ClusterState): readonly Manifest[] {
  const children = objectsIn(state).filter(isChild);
  const made = new Set(children.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name));
  return children.filter(({ metadata }) => !made.has(metadata.namespace ?? '')).map(unmarked);
}

/** The same object as if a person had written it. */
function unmarked({ status: _status, ...object }: Unstructured): Manifest {
  const { name, namespace } = object.metadata;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const spec = isRecord(object['spec']) ? object['spec'] : undefined;
  // The API server puts the finalizers of a Namespace into its spec.
  return object.kind === 'Namespace' || spec === undefined
    ? { apiVersion: object.apiVersion, kind: object.kind, metadata }
    : { ...object, metadata };
}
