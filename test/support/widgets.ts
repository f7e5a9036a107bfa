import type { Unstructured } from '../../src/base/object.ts';
import type { ResourceType } from '../../src/base/resource.ts';
import type { WatchFrame } from '../../src/kube/client.ts';

/** A resource no server knows, for tests of what treats all resources alike. */
export const WIDGETS: ResourceType = {
  group: 'test.io',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

/** A widget `ns/<name>` of that version; `extra` is merged into the metadata. */
export function widget(
  name: string,
  resourceVersion: string,
  extra: Readonly<Record<string, unknown>> = {},
): Unstructured {
  return {
    apiVersion: 'test.io/v1',
    kind: 'Widget',
    metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion, ...extra },
  };
}

/** ADDED, MODIFIED or DELETED of a widget. */
export function event(
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  name: string,
  resourceVersion: string,
  extra: Readonly<Record<string, unknown>> = {},
): WatchFrame {
  return { type, object: widget(name, resourceVersion, extra) };
}

/** A bookmark; with `endsInitialEvents` the one that ends a streaming list. */
export function bookmark(resourceVersion: string, endsInitialEvents?: 'true' | 'false'): WatchFrame {
  const annotations = endsInitialEvents === undefined ? {} : { 'k8s.io/initial-events-end': endsInitialEvents };
  return {
    type: 'BOOKMARK',
    object: { apiVersion: 'test.io/v1', kind: 'Widget', metadata: { name: '', uid: '', resourceVersion, annotations } },
  };
}
