import type { Unstructured } from '../base/object.ts';
import type { ServedResource } from './served-resource.ts';
import type { StorageState } from './storage.ts';

/** A cluster at one moment, from which any number of others can begin, each in a millisecond. */
export interface ClusterState {
  readonly storage: StorageState;
  /** With their schemas, compiled where they have been used. */
  readonly resources: readonly ServedResource[];
  /** Specs of the CustomResourceDefinitions behind them. */
  readonly served: ReadonlyMap<string, unknown>;
}

/** Every object of a cluster, resource by resource. */
export function objectsIn({ storage }: ClusterState): readonly Unstructured[] {
  return [...storage.tables.values()].flatMap((table) => [...table.values()]);
}
