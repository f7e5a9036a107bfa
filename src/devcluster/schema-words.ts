import type { StructuralSchema } from '../schema/structural.ts';

/** Text. */
export const text: StructuralSchema = { type: 'string' };
/** Text behind a pointer in the Go type: an empty string is kept, not dropped. */
export const pointerText: StructuralSchema = { type: 'string' };
/** A whole number. */
export const integer: StructuralSchema = { type: 'integer' };
/** True or false. */
export const flag: StructuralSchema = { type: 'boolean' };
/** A port or a percentage. */
export const intOrText: StructuralSchema = { 'x-kubernetes-int-or-string': true };
/** A quantity, which a user may write as a number. */
export const quantity: StructuralSchema = { 'x-kubernetes-int-or-string': true };
/** An object that is kept as it is. */
export const kept: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** Text by text. */
export const textMap = mapOf(text);
/** Quantities by resource name. */
export const quantities = mapOf(quantity);
/** An atomic list of texts. */
export const texts = atomicList(text);

/** A map from text to values of one schema. */
export function mapOf(values: StructuralSchema): StructuralSchema {
  return { type: 'object', additionalProperties: values };
}

/** A list that one manager owns as a whole. */
export function atomicList(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items, 'x-kubernetes-list-type': 'atomic' };
}

/** A list of distinct texts, each with its own owner. */
export const textSet: StructuralSchema = { type: 'array', items: text, 'x-kubernetes-list-type': 'set' };

/** A list whose items are told apart by `keys`. The first key is also the merge key of strategic merge patches. */
export function keyedList(items: StructuralSchema, ...keys: readonly string[]): StructuralSchema {
  const declared = items.properties ?? {};
  const properties = { ...Object.fromEntries(keys.map((key) => [key, text])), ...declared };
  const required = keys.filter((key) => declared[key]?.default === undefined);
  return {
    type: 'array',
    items: { ...items, properties, required },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
}

/** A struct. */
export function struct(properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema {
  return { type: 'object', properties };
}

/** A struct that one manager owns as a whole. */
export function atomic(schema: StructuralSchema): StructuralSchema {
  return { ...schema, 'x-kubernetes-map-type': 'atomic' };
}

/** A struct with known members that keeps the ones it does not know. */
export function openStruct(properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema {
  return { ...kept, properties };
}

/** The same with a default. */
export function withDefault(
  schema: StructuralSchema,
  value: NonNullable<StructuralSchema['default']>,
): StructuralSchema {
  return { ...schema, default: value };
}

/** metav1.LabelSelector. */
export const labelSelector = atomic(
  struct({
    matchLabels: textMap,
    matchExpressions: atomicList(struct({ key: text, operator: text, values: texts })),
  }),
);

/** Conditions merged by type. */
export const conditions = keyedList(
  struct({
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: text,
    lastUpdateTime: text,
    lastProbeTime: text,
    lastHeartbeatTime: text,
    observedGeneration: integer,
  }),
  'type',
);

/** metav1.ObjectMeta, for merges and field sets. */
export const objectMeta = struct({
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: integer,
  creationTimestamp: text,
  deletionTimestamp: text,
  deletionGracePeriodSeconds: integer,
  labels: textMap,
  annotations: textMap,
  ownerReferences: keyedList(
    atomic(struct({ apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag })),
    'uid',
  ),
  finalizers: textSet,
  managedFields: atomicList(kept),
});

/** Schema of a whole object: type, metadata and these members. */
export function objectSchema(root: StructuralSchema): StructuralSchema {
  return { ...root, properties: { ...root.properties, apiVersion: text, kind: text, metadata: objectMeta } };
}
