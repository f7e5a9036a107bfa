import {
  CONFIG_MAPS,
  childSetStep,
  findObject,
  isOwnedBy,
  noop,
  type Pipeline,
  pipeline,
  type Step,
  waiting,
} from 'homeostat';
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
  remove: async ({ api, object, signal }) => {
    const { name, namespace = '' } = object.metadata;
    await api.applyChildren({
      type: CONFIG_MAPS,
      namespace,
      fresh: false,
      desired: [],
      normalise: (manifest) => manifest,
    });
    // Somebody's finalizer may hold it: the widget is let go when it is gone, of which its watch tells.
    const left = await findObject(api.client, CONFIG_MAPS, { namespace, name }, { signal });
    return left !== undefined && isOwnedBy(left, object)
      ? waiting('Progressing', `ConfigMap ${name} is being deleted`)
      : noop({});
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
