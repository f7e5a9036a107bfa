import { CONFIG_MAPS, childSetStep, type Pipeline, pipeline, type Step } from 'homeostat';
import type { Widget } from './schema.ts';
import { type Given, statusOf } from './status.ts';

/** Keeps one ConfigMap with the text. */
const applyText = childSetStep<Widget, object, Given>({
  name: 'ApplyText',
  condition: 'TextApplied',
  type: CONFIG_MAPS,
  normalise: (manifest) => manifest,
  desired: ({ object: { metadata, spec } }) => ({
    namespace: metadata.namespace ?? '',
    fresh: false,
    manifests: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: metadata.name },
        data: { text: `${spec.text}, ${spec.greeted}` },
      },
    ],
  }),
  gives: ([configMap = '']) => ({ configMap }),
});

/** Takes the ConfigMap away when the widget is deleted. */
const cleanUp: Step<Widget, object, object> = {
  name: 'CleanUp',
  condition: 'CleanedUp',
  apply: () => ({ type: 'noop', value: {} }),
  remove: async ({ api, object: { metadata } }) => {
    const namespace = metadata.namespace ?? '';
    const result = await api.applyChildren({
      type: CONFIG_MAPS,
      namespace,
      fresh: false,
      desired: [],
      normalise: (manifest) => manifest,
    });
    return result.changes.length > 0
      ? { type: 'done', value: {}, changed: true }
      : { type: 'noop', value: {} };
  },
};

/** The steps in order: the first that does not succeed holds the rest back. Removal goes the other way. */
export const steps: Pipeline = pipeline<Widget>()
  .step(cleanUp)
  .step(applyText)
  .build({
    finalizer: { name: 'example.com/widget', ensured: 'FinalizerEnsured', deleted: 'FinalizerDeleted' },
    status: statusOf,
  });
