import { CONFIG_MAPS, defineKind, type Kind, ownerIndex, ownerSelector, toOwnerKeys } from 'homeostat';
import { rules } from './rules.ts';
import { spec, type } from './schema.ts';
import { status } from './status.ts';
import { steps } from './steps.ts';

/** Widget: a text, kept in a ConfigMap. */
export const widgetKind: Kind = defineKind({
  type,
  singular: 'widget',
  shortNames: [],
  description: 'Keeps a text in a ConfigMap of the same name.',
  spec,
  status,
  columns: [
    { name: 'TEXT', type: 'string', jsonPath: '.spec.text' },
    { name: 'READY', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
  rules,
  pipeline: steps,
  watches: [{ type: CONFIG_MAPS, labelSelector: ownerSelector(type), toKeys: toOwnerKeys(type) }],
  indexes: [ownerIndex(CONFIG_MAPS)],
  samples: [
    {
      apiVersion: 'example.com/v1alpha1',
      kind: 'Widget',
      metadata: { name: 'sample-widget', namespace: 'default' },
      spec: { text: 'Hello' },
    },
  ],
});

// The controller, the CRD "widgets.example.com", the webhook and the rights are made of this.
