import type { Drift } from '../base/drift.ts';
import type { ObjectEvent } from '../base/events.ts';
import type { Condition, KubeObject } from '../base/object.ts';
import type { Done } from '../base/outcome.ts';
import { formatKey, formatRef, refOf } from '../base/resource.ts';
import { conditionOf } from '../status/conditions.ts';
import type { ChainLink } from '../status/pass-report.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import type { Halt } from './classify.ts';
import type { Pass } from './pass.ts';

/** Places of drift named in one Event; the log has all. */
const NAMED = 3;

/**
 * Sends what a step that wrote has to tell: its notices, and DriftCorrected when it brought back what had converged before for
 * this generation. Returns what it changed, in words.
 */
export function announce(pass: Pass, outcome: Done, before: Condition | undefined): string {
  for (const notice of outcome.notices ?? []) record(pass, notice);
  const drift = outcome.drift ?? [];
  if (drift.length === 0) return outcome.wrote ?? '';
  const what = describeDrift(drift);
  pass.request.log.info('Corrected drift', { places: drift.map(describePlace) });
  if (before?.status === 'True' && before.observedGeneration === pass.generation) {
    record(pass, { type: 'Normal', reason: 'DriftCorrected', action: 'Apply', note: `Brought back ${what}` });
  }
  return what;
}

/**
 * Sends what a written status newly shows: a step that failed for good or waits for a person, and Ready. Equal conditions before
 * and after mean that it has been told.
 */
export function announceTransitions(
  pass: Pass,
  links: readonly ChainLink[],
  written: { readonly before: readonly Condition[]; readonly after: readonly Condition[] },
): void {
  // Only the first: while deleting, the finalizer's own condition repeats what holds it.
  const held = links.find((link) => link.result.type === 'halted');
  if (held?.result.type === 'halted')
    announceHalt(pass, held.result.outcome, conditionOf(written.before, held.condition));
  else pass.told.forget(formatKey(pass.request.key));
  const ready = conditionOf(written.after, 'Ready');
  if (ready?.status === 'True' && conditionOf(written.before, 'Ready')?.status !== 'True') {
    record(pass, { type: 'Normal', reason: 'Ready', action: 'Reconcile', note: ready.message });
  }
}

/** Tells when a maintenance window began and ceased to hold the object. */
export function announceWindow(
  pass: Pass,
  written: { readonly before: readonly Condition[]; readonly after: readonly Condition[] },
): void {
  const [before, after] = [heldByWindow(written.before), heldByWindow(written.after)];
  if (after !== undefined && before === undefined) {
    record(pass, { type: 'Normal', reason: 'Paused', action: 'Reconcile', note: after.message });
  }
  if (before !== undefined && after === undefined) {
    const note = `Goes on: it no longer holds that ${before.message}`;
    record(pass, { type: 'Normal', reason: 'Resumed', action: 'Reconcile', note });
  }
}

function heldByWindow(conditions: readonly Condition[]): Condition | undefined {
  const paused = conditionOf(conditions, 'Paused');
  return paused?.status === 'True' && paused.reason === ENGINE_REASONS.maintenanceWindow ? paused : undefined;
}

function announceHalt(pass: Pass, halt: Halt, before: Condition | undefined): void {
  const reason = pass.told.news(formatKey(pass.request.key), halt, before);
  if (reason === undefined) return;
  record(pass, { type: 'Warning', reason, action: 'Reconcile', note: halt.message });
}

/** Sends one Event about the pass's object. */
export function record(pass: Pick<Pass, 'cached' | 'deps'>, event: Omit<ObjectEvent, 'regarding'>): void {
  pass.deps.events.record({ ...event, regarding: regardingOf(pass.cached) });
}

function regardingOf(object: KubeObject): ObjectEvent['regarding'] {
  const { resourceVersion } = object.metadata;
  return { ...refOf(object), apiVersion: object.apiVersion, resourceVersion };
}

function describeDrift(drift: readonly Drift[]): string {
  const named = drift.slice(0, NAMED).map(describePlace).join(', ');
  return drift.length > NAMED ? `${named} and more` : named;
}

function describePlace({ ref, pointer, manager }: Drift): string {
  const by = manager === undefined ? '' : `, changed by ${manager}`;
  return pointer === '' ? `${formatRef(ref)}, which was gone${by}` : `${formatRef(ref)} ${pointer}${by}`;
}
