import type { CustomResource } from '../../../src/base/object.ts';
import {
  CONFIG_MAPS,
  childSetStep,
  defineKind,
  integer,
  invalid,
  type Kind,
  object,
  ownerIndex,
  ownerSelector,
  pipeline,
  type ResourceType,
  type Step,
  stateRule,
  string,
  toOwnerKeys,
} from '../../../src/sdk/index.ts';

/** Spec of the kind that the test kit is tested with. */
export interface WidgetSpec {
  readonly text: string;
  readonly count: number;
}

export type Widget = CustomResource<WidgetSpec>;

export const WIDGETS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

const spec = object(
  {
    text: string({ description: 'Text.', maxLength: 20 }),
    count: integer({ description: 'How many.', minimum: 0, maximum: 9 }),
  },
  { description: 'Spec.' },
);

/** Keeps `count` ConfigMaps. */
export const mapsStep = childSetStep<Widget, object>({
  name: 'ApplyMaps',
  condition: 'MapsApplied',
  type: CONFIG_MAPS,
  normalise: (manifest) => manifest,
  desired: ({ object: { metadata, spec: wanted } }) => ({
    namespace: metadata.namespace ?? '',
    fresh: false,
    manifests: Array.from({ length: wanted.count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${metadata.name}-${index}` },
      data: { text: wanted.text },
    })),
  }),
});

/** Takes the ConfigMaps away again. */
export const cleanStep: Step<Widget, object, object> = {
  name: 'Clean',
  condition: 'Cleaned',
  apply: () => ({ type: 'noop', value: {} }),
  remove: async ({ api, object: owner }) => {
    const { changes } = await api.applyChildren({
      type: CONFIG_MAPS,
      namespace: owner.metadata.namespace ?? '',
      fresh: false,
      desired: [],
      normalise: (manifest) => manifest,
    });
    return changes.length > 0 ? { type: 'done', value: undefined, changed: true } : { type: 'noop', value: undefined };
  },
};

/** The kind with these steps. */
export function widgetKind(...steps: readonly Step<Widget, object, object>[]): Kind {
  const built = steps.reduce((chain, step) => chain.step(step), pipeline<Widget>());
  return defineKind<WidgetSpec>({
    type: WIDGETS,
    singular: 'widget',
    shortNames: [],
    description: 'A widget.',
    spec,
    columns: [],
    rules: [
      stateRule<Widget>({ id: 'widget.polite', tier: 'W' }, function* ({ spec: { text } }) {
        if (text.endsWith('!')) yield invalid(['spec', 'text'], text, 'must not shout');
      }),
    ],
    pipeline: built.build({
      finalizer: { name: 'example.com/widget', ensured: 'FinalizerEnsured', deleted: 'Deleted' },
    }),
    watches: [{ type: CONFIG_MAPS, labelSelector: ownerSelector(WIDGETS), toKeys: toOwnerKeys(WIDGETS) }],
    indexes: [ownerIndex(CONFIG_MAPS)],
    samples: [],
  });
}

/** A widget with two ConfigMaps. */
export const widget = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'team-a' },
  spec: { text: 'hello', count: 2 },
};

/** A step of no kind that does what it is told. */
export function step(
  apply: Step<Widget, object, object>['apply'],
  more: Partial<Step<Widget, object, object>> = {},
): Step<Widget, object, object> {
  return { name: 'Odd', condition: 'OddDone', apply, ...more };
}
