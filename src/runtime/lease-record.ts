import { isRecord } from '../base/json.ts';
import type { Manifest, StringMap, Unstructured } from '../base/object.ts';
import { apiVersionOf, type ObjectKey } from '../base/resource.ts';
import { LEASES } from '../kube/well-known.ts';

/** The spec of a coordination.k8s.io/v1 Lease, as far as leader election uses it. */
export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly durationSeconds: number;
  /** MicroTime of the holder's clock; compared with nothing, only watched for change. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the holder changed. */
  readonly transitions: number;
}

/** Reads a Lease; what is missing reads as "nobody holds it". */
export function readLease(lease: Unstructured): LeaseRecord {
  const spec = isRecord(lease['spec']) ? lease['spec'] : {};
  return {
    holder: text(spec['holderIdentity']),
    durationSeconds: number(spec['leaseDurationSeconds']),
    acquireTime: text(spec['acquireTime']),
    renewTime: text(spec['renewTime']),
    transitions: number(spec['leaseTransitions']),
  };
}

/** The Lease with another record; labels and whatever else it carries stay, these annotations excepted. */
export function withRecord(lease: Unstructured, record: LeaseRecord, annotations: StringMap = {}): Unstructured {
  const spec = isRecord(lease['spec']) ? lease['spec'] : {};
  const { metadata } = lease;
  const noted =
    Object.keys(annotations).length === 0
      ? metadata
      : { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
  return { ...lease, metadata: noted, spec: { ...spec, ...specOf(record) } };
}

/** A Lease that does not exist yet. */
export function newLease(key: ObjectKey, record: LeaseRecord, annotations: StringMap = {}): Manifest {
  const noted = Object.keys(annotations).length === 0 ? key : { ...key, annotations };
  return { apiVersion: apiVersionOf(LEASES), kind: LEASES.kind, metadata: noted, spec: specOf(record) };
}

function specOf(record: LeaseRecord): Readonly<Record<string, unknown>> {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
