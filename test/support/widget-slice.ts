import type { Hook } from '../../src/base/hook.ts';
import type { ResourceType } from '../../src/base/resource.ts';
import type { ManifestSlice } from '../../src/manifests/slice.ts';

/** A small kind for tests of rooms that must not know ours. */
export const WIDGETS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

/** One hook row of the widget. */
export function widgetHook(phase: Hook['phase']): Hook {
  return {
    name: `${phase}.widgets.example.com`,
    path: `/${phase}/widgets.example.com`,
    phase,
    type: WIDGETS,
    operations: phase === 'protect' ? ['DELETE'] : ['CREATE', 'UPDATE'],
    failurePolicy: phase === 'protect' ? 'Ignore' : 'Fail',
    timeoutSeconds: phase === 'protect' ? 3 : 5,
  };
}

/** What the manifest renderer sees of the widget. */
export const widgetManifestSlice: ManifestSlice = {
  type: WIDGETS,
  singular: 'widget',
  shortNames: ['wd'],
  description: 'A widget.',
  structure: {
    type: 'object',
    description: 'A widget.',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        description: 'Desired state.',
        properties: { size: { type: 'integer', minimum: 0, maximum: 9, description: 'Size.' } },
      },
    },
  },
  hasStatus: true,
  columns: [{ name: 'SIZE', type: 'integer', jsonPath: '.spec.size' }],
  hooks: [widgetHook('mutate'), widgetHook('validate'), widgetHook('protect')],
  touches: [
    { type: WIDGETS, verbs: ['get', 'list', 'watch'] },
    { type: WIDGETS, subresource: 'status', verbs: ['patch'] },
    { type: { group: '', plural: 'configmaps' }, verbs: ['patch', 'create'] },
    { type: { group: '', plural: 'secrets' }, verbs: ['create', 'patch'] },
    { type: { group: '', plural: 'configmaps' }, verbs: ['delete'] },
  ],
  samples: [{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'sample', namespace: 'default' } }],
};
