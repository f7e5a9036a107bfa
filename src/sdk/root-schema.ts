import type { Schema } from '../schema/builder.ts';
import { conditionsSchema } from './conditions-schema.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import type { Pipeline } from '../steps/pipeline.ts';

/** The last passes that left a trace, oldest first; written only with a status that is written anyway. */
const historySchema: StructuralSchema = {
  type: 'array',
  description: 'The last passes that changed this status, oldest first.',
  maxItems: 5,
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    description: 'One pass.',
    required: ['generation', 'outcome', 'trigger', 'time'],
    properties: {
      generation: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The generation of the spec that was worked on.',
      },
      outcome: { type: 'string', maxLength: 63, description: 'What it came to.' },
      trigger: { type: 'string', maxLength: 1024, description: 'What caused it.' },
      time: { type: 'string', format: 'date-time', maxLength: 64, description: 'When it ended.' },
    },
  },
};

/** The whole schema of a resource: spec, and where the kind has one, the status with the engine's own members. */
export function rootSchema(kind: {
  readonly description: string;
  readonly spec: Schema<unknown>;
  readonly status?: Schema<unknown>;
  readonly pipeline?: Pipeline;
}): StructuralSchema {
  const status = statusSchema(kind.status, kind.pipeline !== undefined);
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of the schema this object is written in.' },
      kind: { type: 'string', description: 'Kind of this object.' },
      metadata: { type: 'object' },
      spec: kind.spec.node,
      ...(status === undefined ? {} : { status }),
    },
  };
}

function statusSchema(own: Schema<unknown> | undefined, hasSteps: boolean): StructuralSchema | undefined {
  if (!hasSteps) return own?.node;
  return {
    type: 'object',
    description: own?.node.description ?? 'What the controller last observed.',
    properties: {
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The generation of the spec that this status speaks of.',
      },
      step: {
        type: 'string',
        maxLength: 63,
        description: 'The first step that has not succeeded; empty when all have.',
      },
      lastHandledRequestedAt: {
        type: 'string',
        maxLength: 64,
        description: 'The value of the annotation homeostat.io/requested-at that the last pass answered.',
      },
      shard: {
        type: 'string',
        maxLength: 253,
        description:
          'The instance that reconciles this object, where the service is sharded; none for the common instance.',
      },
      ...own?.node.properties,
      conditions: conditionsSchema,
      reconcileHistory: historySchema,
    },
  };
}
