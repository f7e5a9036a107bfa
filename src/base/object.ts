import type { JsonObject } from './json.ts';

/** String pairs of a Kubernetes object: labels and annotations. */
export type StringMap = Readonly<Record<string, string>>;

/** The part of ObjectMeta this project reads. Unknown members stay in the object, they are only not typed. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid: string;
  /** Opaque, yet comparable as a digit string within one resource (`compareResourceVersions`). */
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly finalizers?: readonly string[];
  /** RFC 3339, seconds. Present from the moment deletion was asked for. */
  readonly deletionTimestamp?: string;
  readonly creationTimestamp?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** A reference from a child to the object that owns it; the garbage collector acts on it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** One manager's set of owned fields, as the API server keeps it. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

/** An object as the API server returned it: identity is known. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A custom resource: an object with a spec and, where the kind has one, a status. */
export interface CustomResource<Spec, Status = unknown> extends KubeObject {
  readonly spec: Spec;
  readonly status?: Status;
}

/** An object whose members beyond the metadata are raw JSON. */
export type Unstructured = KubeObject & { readonly [member: string]: unknown };

/** An object to be sent: identity fields that the API server fills in are absent. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: StringMap;
    readonly annotations?: StringMap;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly [member: string]: unknown;
}

/** Three-valued status of a condition. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** metav1.Condition. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase word from the fixed vocabulary of reasons; part of the API. */
  readonly reason: string;
  /** For people; never carries times, counts or versions, so that it does not cause writes. */
  readonly message: string;
  /** RFC 3339, seconds; moves only when `status` flips. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
