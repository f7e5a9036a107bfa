import { toTimestamp } from '../base/clock.ts';
import type { KubeObject } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { ObjectOf } from '../base/violation.ts';
import type { Lookup } from './lookup.ts';

/** On an object: `"true"` lets it be reconciled and changed whatever window is open. Setting it takes the right to override windows. */
export const IGNORE_MAINTENANCE_ANNOTATION = 'homeostat.io/ignore-maintenance';

/** What an open window asks for. */
export const MAINTENANCE_EFFECTS = ['PauseReconcile', 'SuspendBackups', 'DenyChanges'] as const;

/** One of {@link MAINTENANCE_EFFECTS}. */
export type MaintenanceEffect = (typeof MAINTENANCE_EFFECTS)[number];

/** An open window, as readers show it. */
export interface OpenWindow {
  readonly window: ObjectOf;
  /** When it closes, milliseconds since the epoch. */
  readonly untilMs: number;
  /** Why somebody opened it. */
  readonly why?: string;
}

/** What windows ask of one object at one moment. */
export interface MaintenanceState {
  /** For each effect in force the window that stays open longest. */
  readonly open: Readonly<Partial<Record<MaintenanceEffect, OpenWindow>>>;
  /** The next moment at which a window that concerns the object opens or closes; absent where none will. */
  readonly changesAtMs?: number;
}

/** The object that is asked about. */
export interface MaintenanceSubject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The windows of a cluster. */
export interface Maintenance {
  /**
   * What they ask of an object. A window that cannot be read asks for nothing: a broken one must not stop healing.
   *
   * @throws CacheNotSynced while windows or namespaces are not known yet
   */
  stateOf(subject: MaintenanceSubject, lookup: Lookup, nowMs: number): MaintenanceState;
  /** Why a stored window cannot be read, as a clause; `undefined` where it can. */
  problemOf(window: KubeObject): string | undefined;
}

/** Nothing is asked and nothing will be. */
export const NO_MAINTENANCE: MaintenanceState = { open: {} };

/** What windows ask of an object, which may have been told to ignore them. Every reader comes through here. */
export function maintenanceOf(
  maintenance: Maintenance | undefined,
  subject: MaintenanceSubject,
  lookup: Lookup,
  nowMs: number,
): MaintenanceState {
  if (maintenance === undefined || ignoresMaintenance(subject.object)) return NO_MAINTENANCE;
  return maintenance.stateOf(subject, lookup, nowMs);
}

/** Whether an object was told to ignore windows. */
export function ignoresMaintenance({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[IGNORE_MAINTENANCE_ANNOTATION] === 'true';
}

/** `maintenance window "q3-freeze" is open until 2026-10-01T00:00:00Z (quarter end)`. */
export function describeOpenWindow({ window, untilMs, why }: OpenWindow): string {
  const because = why === undefined || why === '' ? '' : ` (${why})`;
  return `maintenance window "${window.key.name}" is open until ${toTimestamp(untilMs)}${because}`;
}
