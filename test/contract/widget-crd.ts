const text = { type: 'string' };

const spec = {
  type: 'object',
  description: 'What is wanted.',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 100, description: 'How big.' },
    mode: { type: 'string', enum: ['fast', 'slow'], default: 'slow' },
    replicas: { type: 'integer' },
    name: {
      type: 'string',
      maxLength: 5,
      pattern: '^[a-z]+$',
      'x-kubernetes-validations': [{ rule: "self != 'bad'", message: 'must not be bad' }],
    },
    labels: { type: 'object', additionalProperties: text },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, port: { type: 'integer', default: 80 } } },
    },
    marks: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        required: ['type'],
        properties: { type: text, status: text, note: text },
      },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    list: { type: 'array', items: text },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.name) || self.size < 50', message: 'named ones are small', fieldPath: '.size' },
    { rule: 'self.size >= oldSelf.size', message: 'may not shrink' },
  ],
};

const status = {
  type: 'object',
  properties: {
    phase: text,
    replicas: { type: 'integer' },
    conditions: { type: 'array', items: { type: 'object', properties: { type: text, status: text } } },
  },
};

/** A definition with most of what devcluster understands. */
export const WIDGET_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.contract.example.com' },
  spec: {
    group: 'contract.example.com',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Mode', type: 'string', priority: 1, jsonPath: '.spec.mode' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } },
      },
    ],
  },
};
