import {
  boolean,
  integer,
  intOrString,
  list,
  map,
  object,
  oneOf,
  optional,
  preserved,
  string,
  withDefault,
} from '../../../src/schema/builder.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';

const description = 'A field of the probe.';
const short = string({ description, maxLength: 3 });

const item = object(
  {
    name: string({ description, maxLength: 8, pattern: '^[a-z]+$' }),
    size: withDefault(integer({ description, minimum: 0, maximum: 9 }), 3),
    mode: optional(oneOf(['Fast', 'Slow'], { description })),
    tags: optional(list(string({ description, maxLength: 4 }), { description, maxItems: 3, listType: 'set' })),
  },
  { description },
);

const pair = object({ z: short, a: withDefault(integer({ description, minimum: 0, maximum: 5 }), 2) }, { description });

const deep = object({ z: withDefault(integer({ description, minimum: 0, maximum: 5 }), 1) }, { description });

const group = object(
  { m: withDefault(list(short, { description, maxItems: 3, listType: 'set' }), ['k']) },
  { description },
);

/** A spec with every combinator of the builder, and members whose names JavaScript objects inherit. */
export const probeSpec = object(
  {
    text: string({ description, minLength: 2, maxLength: 6, pattern: '^[a-zé😀]+$' }),
    when: optional(string({ description, maxLength: 64, format: 'date-time' })),
    count: withDefault(integer({ description, minimum: 1, maximum: 10 }), 5),
    small: optional(integer({ description, minimum: -(2 ** 31), maximum: 2 ** 31 - 1, format: 'int32' })),
    big: optional(
      integer({ description, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' }),
    ),
    flag: withDefault(boolean({ description }), true),
    port: optional(intOrString({ description, maxLength: 5, pattern: '^[a-z]+$' })),
    word: withDefault(oneOf(['a', 'b', "it's"], { description }), 'a'),
    items: optional(list(item, { description, maxItems: 4, minItems: 1, listType: 'map', keys: ['name'] })),
    two: optional(list(pair, { description, maxItems: 4, listType: 'map', keys: ['z', 'a'] })),
    plain: optional(list(short, { description, maxItems: 3 })),
    nest: withDefault(object({ a: withDefault(short, 'q'), deep: withDefault(deep, { z: 4 }) }, { description }), {
      a: 'n',
      deep: { z: 2 },
    }),
    absent: optional(object({ a: withDefault(short, 'q'), r: short }, { description })),
    labels: optional(map(short, { description, maxProperties: 2 })),
    groups: optional(map(group, { description, maxProperties: 3 })),
    free: optional(preserved({ description })),
    constructor: optional(short),
  },
  { description: 'The probe.' },
);

/** The resource around {@link probeSpec}; `maybe` is nullable, which the builder does not offer. */
export const probeRoot: StructuralSchema = {
  type: 'object',
  description: 'A resource for comparing with a real API server.',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: {
      ...probeSpec.node,
      properties: {
        ...probeSpec.node.properties,
        maybe: { type: 'string', description, nullable: true, maxLength: 3 },
      },
    },
  },
};
