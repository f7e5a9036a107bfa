import type { StringMap, Unstructured } from '../base/object.ts';
import { readLease } from './lease-record.ts';
import { formatDeclaration, leaseOf, parseDeclaration, type ShardDeclaration, shardOf } from './shard.ts';

/** Annotation of a Lease: what its holder was told to reconcile. */
const DECLARATION = 'homeostat.io/shard';

/** Annotation of a Lease: the version its holder runs. */
const VERSION = 'homeostat.io/version';

/** Annotation of a Lease: the Lease without which its holder does not work, itself where that is the holder's own. */
const HELD_THROUGH = 'homeostat.io/held-through';

/** What a holder tells of itself on its Leases. */
export interface InstanceDescription {
  readonly declaration: ShardDeclaration;
  readonly version: string;
}

/** An instance as its own Lease shows it. */
export interface ShardInstance extends InstanceDescription {
  /** Name of its own Lease. */
  readonly lease: string;
  /** Empty where nobody holds the Lease. */
  readonly holder: string;
  /** When it last said so, by its own clock; how long that is good for. */
  readonly renewTime: string;
  readonly durationSeconds: number;
}

/** Annotations for a Lease of this instance. */
export function leaseAnnotations({ declaration, version }: InstanceDescription): StringMap {
  return {
    [DECLARATION]: formatDeclaration(declaration),
    [VERSION]: version,
    [HELD_THROUGH]: leaseOf(shardOf(declaration)),
  };
}

/** The Lease without which whoever wrote this one does not work; `undefined` where it does not say. */
export function heldThrough(lease: Unstructured): string | undefined {
  return lease.metadata.annotations?.[HELD_THROUGH];
}

/** Identity under which an instance holds a Lease that is not its own: its own Lease comes first. */
export function borrowerIdentity(ownLease: string, identity: string): string {
  return `${ownLease}/${identity}`;
}

/**
 * Whether a holder holds a Lease by virtue of this one. Whoever holds this one now knows that such a holder has ended its work: it works
 * only while it holds both.
 */
export function isHeldThrough(ownLease: string, holder: string): boolean {
  return holder.startsWith(`${ownLease}/`);
}

/** The instance whose own Lease this is; `undefined` for a borrowed one, one that tells nothing, and any other Lease. */
export function instanceOf(lease: Unstructured): ShardInstance | undefined {
  const { name, annotations } = lease.metadata;
  const declaration = parseDeclaration(annotations?.[DECLARATION] ?? '');
  if (declaration === undefined || leaseOf(shardOf(declaration)) !== name) return undefined;
  const { holder, renewTime, durationSeconds } = readLease(lease);
  if (holder.includes('/')) return undefined;
  return { lease: name, holder, renewTime, durationSeconds, declaration, version: annotations?.[VERSION] ?? '' };
}
