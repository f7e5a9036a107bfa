import type { StructuralSchema } from '../schema/structural.ts';

/**
 * metav1.Condition as a list map, with the bounds of the upstream type (apimachinery meta/v1 Condition). Other writers' entries
 * survive because the list is merged by `type`. One condition is one value: nobody owns a part of it, and the API server keeps one
 * entry for it in the managed fields instead of seven, which it reads and writes with every request for the object.
 */
export const conditionsSchema: StructuralSchema = {
  type: 'array',
  description: 'One entry a step, in the order of the steps, and the summary: Ready, Reconciling, Stalled.',
  maxItems: 64,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    'x-kubernetes-map-type': 'atomic',
    description: 'One aspect of the state of this object.',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string', maxLength: 316, description: 'Name of the condition, unique in the list.' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'True, False or Unknown.' },
      reason: { type: 'string', minLength: 1, maxLength: 1024, description: 'One CamelCase word for programs.' },
      message: { type: 'string', maxLength: 32768, description: 'What it means, for people.' },
      lastTransitionTime: {
        type: 'string',
        format: 'date-time',
        maxLength: 64,
        description: 'When the status last changed.',
      },
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The generation of the spec that this condition speaks of.',
      },
    },
  },
};
