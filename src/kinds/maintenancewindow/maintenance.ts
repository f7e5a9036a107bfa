import {
  type KubeObject,
  type Lookup,
  type Maintenance,
  type MaintenanceEffect,
  type MaintenanceState,
  type MaintenanceSubject,
  NAMESPACES,
  NO_MAINTENANCE,
  type OpenWindow,
  ScheduleInvalid,
  type Window,
  type WindowState,
  windowStateAt,
} from '../../sdk/index.ts';
import { selects } from '../tenancy/label-selector.ts';
import { MAINTENANCE_WINDOWS } from '../tenancy/own-resources.ts';
import { readWindow } from './read-window.ts';
import type { MaintenanceWindow } from './schema.ts';

/** Index under which every window is found. */
export const ALL_WINDOWS = 'all';

/** A cached window with what was worked out about it. Caches replace objects and never change them, so the object is the key. */
interface Known {
  readonly window: Window | undefined;
  readonly problem: string | undefined;
  sinceMs: number;
  state: WindowState | undefined;
}

const known = new WeakMap<MaintenanceWindow, Known>();

/** The windows of the cluster, as MaintenanceWindows say. Any open window is enough; a window only ever restricts. */
export const maintenance: Maintenance = {
  stateOf: (subject, lookup, nowMs) => {
    // Whoever may write windows must be able to end one.
    if (subject.type.kind === MAINTENANCE_WINDOWS.kind) return NO_MAINTENANCE;
    const windows = lookup.byIndex<MaintenanceWindow>(MAINTENANCE_WINDOWS, ALL_WINDOWS, ALL_WINDOWS);
    return windows
      .filter((window) => !window.spec.suspend && concerns(window, subject, lookup))
      .reduce((state, window) => joined(state, window, stateOf(window, nowMs)), NO_MAINTENANCE);
  },
  // The engines hand in objects of this kind.
  problemOf: (window: KubeObject) => knownOf(window as MaintenanceWindow).problem,
};

function concerns({ spec }: MaintenanceWindow, { type, object }: MaintenanceSubject, lookup: Lookup): boolean {
  if (spec.kinds !== undefined && !spec.kinds.includes(type.kind)) return false;
  if (spec.namespaceSelector === undefined) return true;
  const { namespace } = object.metadata;
  if (namespace === undefined) return false;
  return selects(spec.namespaceSelector, lookup.get(NAMESPACES, { name: namespace })?.metadata.labels);
}

function joined(
  { open, changesAtMs }: MaintenanceState,
  { metadata, spec }: MaintenanceWindow,
  { isOpen, untilMs }: WindowState,
): MaintenanceState {
  if (untilMs === undefined) return changesAtMs === undefined ? { open } : { open, changesAtMs };
  const shown: OpenWindow = {
    window: { type: MAINTENANCE_WINDOWS, key: { name: metadata.name } },
    untilMs,
    ...(spec.reason === undefined ? {} : { why: spec.reason }),
  };
  const longer = (effect: MaintenanceEffect): boolean => untilMs > (open[effect]?.untilMs ?? 0);
  const added = isOpen ? spec.effects.filter(longer).map((effect) => [effect, shown] as const) : [];
  return {
    open: { ...open, ...Object.fromEntries(added) },
    changesAtMs: Math.min(untilMs, changesAtMs ?? untilMs),
  };
}

function stateOf(window: MaintenanceWindow, nowMs: number): WindowState {
  const entry = knownOf(window);
  if (entry.window === undefined) return { isOpen: false };
  // An answer holds until the moment it names.
  const { state, sinceMs } = entry;
  if (state !== undefined && sinceMs <= nowMs && nowMs < (state.untilMs ?? Number.POSITIVE_INFINITY)) return state;
  entry.sinceMs = nowMs;
  entry.state = windowStateAt(entry.window, nowMs);
  return entry.state;
}

function knownOf(window: MaintenanceWindow): Known {
  const entry = known.get(window) ?? { ...read(window), sinceMs: 0, state: undefined };
  known.set(window, entry);
  return entry;
}

function read(window: MaintenanceWindow): Pick<Known, 'window' | 'problem'> {
  // An older definition may have let one through without: it must not stop whoever asks.
  const effects: unknown = window.spec.effects;
  if (!Array.isArray(effects)) return { window: undefined, problem: 'it has no effects' };
  try {
    return { window: readWindow(window), problem: undefined };
  } catch (error) {
    if (!(error instanceof ScheduleInvalid)) throw error;
    return { window: undefined, problem: `its schedule or time zone ${error.message}` };
  }
}
