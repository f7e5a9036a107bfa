import { isRecord } from '../base/json.ts';
import type { Condition, Unstructured } from '../base/object.ts';
import { formatRef, keyOf, refOf, type ResourceType } from '../base/resource.ts';
import { isForbidden, isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { listObjects } from '../kube/list-objects.ts';
import { EVENTS } from '../kube/well-known.ts';
import type { Kind } from '../sdk/kind.ts';
import { conditionOf, conditionsOf, observedGenerationOf, statusOf } from '../status/conditions.ts';
import type { HistoryEntry } from '../status/pass-history.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import { SUMMARY_CONDITIONS } from '../status/summary.ts';
import { ownershipLabels, STEP_LABEL } from '../steps/ownership.ts';

/** Where an object stands, in one line. */
export interface ObjectSummary {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Status of the condition Ready; `-` before its first word, and for kinds without a status. */
  readonly ready: string;
  /** First step that is not through; empty when all are. */
  readonly step: string;
  readonly reason: string;
  readonly message: string;
  /** The spec has changed since the status was written. */
  readonly outdated: boolean;
}

/** A child that an object keeps. */
export interface ChildReport {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The step that keeps it. */
  readonly step: string;
  readonly deleting: boolean;
}

/** An Event about an object. */
export interface EventReport {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

/** Why an object is reconciled again and again: which of the three it is, and what is behind it. */
export interface Unrest {
  readonly cause: 'repeated error' | 'short requeue' | 'dependent that keeps changing';
  readonly what: string;
}

/** Everything a person asks about one object. */
export interface ObjectReport extends ObjectSummary {
  readonly steps: readonly Condition[];
  readonly children: readonly ChildReport[];
  /** Resources whose objects could not be listed for want of rights. */
  readonly unread: readonly string[];
  /** The last passes that left a trace, the oldest first. */
  readonly history: readonly HistoryEntry[];
  /** The last five, the oldest first. */
  readonly events: readonly EventReport[];
  readonly unrest?: Unrest;
}

/** What a report is read with. */
export interface ReportAccess {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

/** Reasons of an object that is on its way, or held on purpose. */
const QUIET_REASONS: ReadonlySet<string> = new Set([
  ENGINE_REASONS.ready,
  ENGINE_REASONS.progressing,
  ENGINE_REASONS.deleting,
  ENGINE_REASONS.suspended,
  ENGINE_REASONS.maintenanceWindow,
]);

const EVENTS_SHOWN = 5;

/** Passes this close together are one after another, not a pass now and then. */
const BUSY_WITHIN_MS = 5 * 60_000;

/** So many passes within that time make an object busy. */
const BUSY_PASSES = 3;

/** The line of one object. */
export function summaryOf(object: Unstructured): ObjectSummary {
  const { namespace, name, generation } = object.metadata;
  const ready = conditionOf(conditionsOf(object), 'Ready');
  const step = statusOf(object)?.['step'];
  const observed = observedGenerationOf(object);
  return {
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ready: ready?.status ?? '-',
    step: typeof step === 'string' ? step : '',
    reason: ready?.reason ?? '',
    message: ready?.message ?? '',
    outdated: observed !== undefined && generation !== undefined && observed !== generation,
  };
}

/** Reads what belongs to an object. Rejects with what the client rejects with; rights that are missing are reported instead. */
export async function reportOf(kind: Kind, object: Unstructured, access: ReportAccess): Promise<ObjectReport> {
  const summary = summaryOf(object);
  const history = historyOf(object);
  const [{ children, unread }, events] = await Promise.all([
    childrenOf(kind, object, access),
    eventsOf(object, access),
  ]);
  const unrest = unrestOf(summary, history);
  return {
    ...summary,
    steps: conditionsOf(object).filter(({ type }) => !SUMMARY_CONDITIONS.includes(type)),
    children,
    unread: events === undefined ? [...unread, EVENTS.plural] : unread,
    history,
    events: events ?? [],
    ...(unrest === undefined ? {} : { unrest }),
  };
}

/**
 * What keeps an object busy, as far as its status tells: a failure that comes again, a step that asks to look again soon, or something
 * that it depends on and that changes all the time. `undefined` when it is at rest.
 */
export function unrestOf(
  { reason, message, ready }: ObjectSummary,
  history: readonly HistoryEntry[],
): Unrest | undefined {
  if (reason === ENGINE_REASONS.reconcileLoop) return { cause: 'dependent that keeps changing', what: message };
  if (ready !== 'True' && ready !== '-' && !QUIET_REASONS.has(reason)) {
    return { cause: 'repeated error', what: `${reason}: ${message}` };
  }
  const recent = history.slice(-BUSY_PASSES);
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || recent.length < BUSY_PASSES) return undefined;
  if (Date.parse(last.time) - Date.parse(first.time) > BUSY_WITHIN_MS) return undefined;
  if (recent.some(({ trigger }) => trigger !== first.trigger)) return undefined;
  if (first.trigger === 'requeue')
    return { cause: 'short requeue', what: `${recent.length} passes in a row asked for it` };
  return { cause: 'dependent that keeps changing', what: first.trigger };
}

function historyOf(object: Unstructured): readonly HistoryEntry[] {
  const stored = statusOf(object)?.['reconcileHistory'];
  if (!Array.isArray(stored)) return [];
  return stored.filter(isRecord).map(({ generation, outcome, trigger, time }) => ({
    generation: Number(generation),
    outcome: String(outcome),
    trigger: String(trigger),
    time: String(time),
  }));
}

async function childrenOf(
  kind: Kind,
  object: Unstructured,
  access: ReportAccess,
): Promise<Pick<ObjectReport, 'children' | 'unread'>> {
  const labelSelector = Object.entries(ownershipLabels(object))
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
  const unread: string[] = [];
  const children: ChildReport[] = [];
  for (const { type } of kind.watches) {
    const items = await listAllowed(type, { labelSelector }, access);
    if (items === undefined) unread.push(type.plural);
    else children.push(...items.map(childReport));
  }
  return { children: children.toSorted((a, b) => formatRef(a).localeCompare(formatRef(b))), unread };
}

function childReport(child: Unstructured): ChildReport {
  return {
    ...refOf(child),
    step: child.metadata.labels?.[STEP_LABEL] ?? '',
    deleting: child.metadata.deletionTimestamp !== undefined,
  };
}

/** Events about a cluster-scoped object lie in the namespace `default`. */
async function eventsOf(object: Unstructured, access: ReportAccess): Promise<readonly EventReport[] | undefined> {
  const { namespace = 'default', name } = keyOf(object);
  const items = await listAllowed(EVENTS, { namespace }, access);
  return items
    ?.filter(({ regarding }) => isRecord(regarding) && regarding['kind'] === object.kind && regarding['name'] === name)
    .map(eventReport)
    .toSorted((a, b) => a.time.localeCompare(b.time))
    .slice(-EVENTS_SHOWN);
}

function eventReport(event: Unstructured): EventReport {
  const { eventTime, series, type, reason, note } = event;
  const last = isRecord(series) ? series['lastObservedTime'] : eventTime;
  return { time: text(last ?? eventTime), type: text(type), reason: text(reason), note: text(note) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `undefined` where the person may not list them or the resource is not there. */
async function listAllowed(
  type: ResourceType,
  query: Parameters<typeof listObjects>[2],
  { client, signal }: ReportAccess,
): Promise<readonly Unstructured[] | undefined> {
  const found: Unstructured[] = [];
  try {
    for await (const object of listObjects(client, type, query, { signal })) found.push(object);
    return found;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
