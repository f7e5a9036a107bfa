import type { Condition } from '../base/object.ts';
import { unreachable } from '../base/errors.ts';
import type { Terminal, Transient, Waiting } from '../base/outcome.ts';
import { type ConditionDraft, conditionOf } from './conditions.ts';
import { type ChainLink, type PassReport, severityOf } from './pass-report.ts';
import { ENGINE_REASONS } from './reasons.ts';

/** Condition types of the summary, present on every kind that has steps. */
export const SUMMARY_CONDITIONS: readonly string[] = ['Ready', 'Reconciling', 'Stalled', 'Paused', 'Suspended'];

/** Failures in a row after which transient trouble of a converged object becomes visible. */
const VISIBLE_ATTEMPTS = 3;

/** What is stored now, as far as the summary builds on it. */
export interface StoredStatus {
  readonly conditions: readonly Condition[];
  readonly observedGeneration?: number;
}

/** What to store. */
export interface Summary {
  readonly conditions: readonly ConditionDraft[];
  /** Name of the first step that has not succeeded, empty when all have. */
  readonly step: string;
}

/**
 * Computes the conditions after a pass: those of the steps, then Ready, Reconciling and Stalled so that kstatus and Flux read
 * them right (cli-utils pkg/kstatus, fluxcd/pkg runtime/conditions/check). Returns `undefined` where a pass leaves no trace:
 * a lost race, and transient trouble of a converged object before the third attempt.
 */
export function summarise(report: PassReport, stored: StoredStatus): Summary | undefined {
  const halted = worstOf(report.links);
  const halt = halted?.result.type === 'halted' ? halted.result.outcome : undefined;
  if (halt?.type === 'transient' && leavesNoTrace(halt, report, stored)) return undefined;
  if (report.phase === 'suspended') return suspended(report, stored);
  const steps = report.links.flatMap((link) => stepCondition(link, report, stored, halted) ?? []);
  const rest = halted !== undefined && halt !== undefined ? heldUp(halted, halt, report) : moving(report, steps);
  const pause = report.pause === undefined ? [] : [pauseCondition(report.pause, report.generation)];
  return { conditions: [...steps, ...pause, ...rest], step: heldStep(report) ?? firstOpenStep(report, steps) };
}

/** What holds the chain before any step ran, as a broken rule does, stands behind steps that are not to blame. */
function heldStep({ phase, links }: PassReport): string | undefined {
  return phase === 'applying' ? links.find(({ result }) => result.type === 'halted')?.step : undefined;
}

/** The link that holds the chain: of several, as a group can leave them, the first of the worst. */
function worstOf(links: readonly ChainLink[]): ChainLink | undefined {
  const severity = ({ result }: ChainLink): number => (result.type === 'halted' ? severityOf(result.outcome) : -1);
  const worst = Math.max(-1, ...links.map(severity));
  return worst < 0 ? undefined : links.find((link) => severity(link) === worst);
}

function leavesNoTrace(halt: Transient, report: PassReport, stored: StoredStatus): boolean {
  if (halt.silent === true) return true;
  const converged =
    stored.observedGeneration === report.generation && conditionOf(stored.conditions, 'Ready')?.status === 'True';
  return converged && report.attempts < VISIBLE_ATTEMPTS;
}

function stepCondition(
  link: ChainLink,
  report: PassReport,
  stored: StoredStatus,
  halted: ChainLink | undefined,
): ConditionDraft | undefined {
  const { result, condition: type } = link;
  const observedGeneration = report.generation;
  switch (result.type) {
    case 'passed':
      return { type, status: result.status, reason: result.reason, message: result.message, observedGeneration };
    case 'halted': {
      const { reason, message } = result.outcome;
      return { type, status: statusWhileHalted(result.outcome), reason, message, observedGeneration };
    }
    case 'removed':
      return { type, status: 'False', reason: ENGINE_REASONS.removed, message: 'Removed', observedGeneration };
    case 'unreached':
      return unreachedCondition(type, report, stored, halted);
    default:
      return unreachable(result);
  }
}

/**
 * A step that was not reached keeps what it said of this generation. For a new generation nothing is known of it, and its
 * condition says which step it waits for, so that a failing step does not make the later ones lie.
 */
function unreachedCondition(
  type: string,
  report: PassReport,
  stored: StoredStatus,
  halted: ChainLink | undefined,
): ConditionDraft | undefined {
  const before = conditionOf(stored.conditions, type);
  if (report.phase === 'removing') return before;
  const current = before?.observedGeneration === report.generation || report.pause !== undefined;
  if (before !== undefined && before.status !== 'Unknown' && current) return before;
  const observedGeneration = report.generation;
  if (report.phase === 'starting') {
    const message = 'This step has not been reached yet';
    return { type, status: 'Unknown', reason: ENGINE_REASONS.progressing, message, observedGeneration };
  }
  const message =
    report.pause !== undefined && halted === undefined
      ? `Held back: ${report.pause.message}`
      : `Waits for ${halted?.step ?? 'an earlier step'}`;
  return { type, status: 'Unknown', reason: ENGINE_REASONS.blocked, message, observedGeneration };
}

/** The summary while a step holds the chain. */
function heldUp(
  halted: ChainLink,
  halt: Waiting | Transient | Terminal,
  report: PassReport,
): readonly ConditionDraft[] {
  const observedGeneration = report.generation;
  const message = `${halted.step}: ${halt.message}`;
  if (halt.type === 'terminal') {
    return [
      { type: 'Ready', status: 'False', reason: halt.reason, message, observedGeneration },
      { type: 'Stalled', status: 'True', reason: halt.reason, message, observedGeneration },
    ];
  }
  const deleting = report.phase === 'removing';
  const reconciling = halt.type === 'transient' ? ENGINE_REASONS.retrying : ENGINE_REASONS.progressing;
  return [
    {
      type: 'Ready',
      status: deleting ? 'False' : statusWhileHalted(halt),
      reason: deleting ? ENGINE_REASONS.deleting : halt.reason,
      message,
      observedGeneration,
    },
    { type: 'Reconciling', status: 'True', reason: reconciling, message, observedGeneration },
  ];
}

/** The summary while no step holds the chain: starting, removing, paused or settled. */
function moving(report: PassReport, steps: readonly ConditionDraft[]): readonly ConditionDraft[] {
  const observedGeneration = report.generation;
  if (report.phase === 'starting' || report.phase === 'removing') {
    const deleting = report.phase === 'removing';
    const reason = deleting ? ENGINE_REASONS.deleting : ENGINE_REASONS.progressing;
    const message = deleting ? deletionMessage(report) : 'The first pass is under way';
    return [
      { type: 'Ready', status: deleting ? 'False' : 'Unknown', reason, message, observedGeneration },
      { type: 'Reconciling', status: 'True', reason, message, observedGeneration },
    ];
  }
  const open = report.links.flatMap((link) => {
    const condition = steps.find((step) => step.type === link.condition);
    return condition !== undefined && !isSettled(link, condition) ? [{ step: link.step, condition }] : [];
  })[0];
  if (open !== undefined) {
    const { status, reason, message } = open.condition;
    return [{ type: 'Ready', status, reason, message: `${open.step}: ${message}`, observedGeneration }];
  }
  if (report.pause !== undefined) {
    const message = `Healthy, and held as it is: ${report.pause.message}`;
    return [{ type: 'Ready', status: 'True', reason: report.pause.condition, message, observedGeneration }];
  }
  const left = report.orphaned === undefined ? '' : `; ${report.orphaned}`;
  const message = `All steps have converged${left}`;
  return [{ type: 'Ready', status: 'True', reason: ENGINE_REASONS.ready, message, observedGeneration }];
}

function deletionMessage({ heldBy }: PassReport): string {
  if (heldBy === undefined) return 'Deletion is under way';
  return `All that was made is removed; finalizers of others keep the object: ${heldBy.join(', ')}`;
}

/** Everything stays as it is, and one condition says why. */
function suspended(report: PassReport, stored: StoredStatus): Summary {
  const kept = stored.conditions.filter(({ type }) => report.links.some((link) => link.condition === type));
  // A hold looks at nothing, so the status stays that of the generation before, and none of its conditions may be ahead of it.
  const observedGeneration = stored.observedGeneration ?? report.generation;
  const suspension = { condition: 'Suspended', reason: ENGINE_REASONS.suspended, message: 'Suspended' };
  const { condition: type, reason, message } = report.pause ?? suspension;
  return {
    conditions: [
      ...kept,
      readyWhileHeld(conditionOf(stored.conditions, 'Ready'), { condition: type, reason, message }, observedGeneration),
      { type, status: 'True', reason, message, observedGeneration },
    ],
    step: firstOpenStep(report, kept),
  };
}

/** Reasons of a Ready that a hold gave: what they say of it is over when another hold takes its place. */
const HOLDS: ReadonlySet<string> = new Set(['Paused', ENGINE_REASONS.suspended, ENGINE_REASONS.maintenanceWindow]);

/** What was healthy is healthy and paused; what was not says so as before; of what has never been looked at nothing is known. */
function readyWhileHeld(
  before: ConditionDraft | undefined,
  { condition, reason, message }: NonNullable<PassReport['pause']>,
  observedGeneration: number,
): ConditionDraft {
  const wasHeld = before !== undefined && HOLDS.has(before.reason);
  if (before === undefined || (wasHeld && before.status === 'Unknown')) {
    return { type: 'Ready', status: 'Unknown', reason, message, observedGeneration };
  }
  if (before.status !== 'True' || (condition !== 'Paused' && !wasHeld)) return before;
  return { ...before, reason: condition, message: `Healthy, and held as it is: ${message}` };
}

function pauseCondition(pause: NonNullable<PassReport['pause']>, observedGeneration: number): ConditionDraft {
  return { type: pause.condition, status: 'True', reason: pause.reason, message: pause.message, observedGeneration };
}

function firstOpenStep(report: PassReport, steps: readonly ConditionDraft[]): string {
  for (const link of report.links) {
    const condition = steps.find((step) => step.type === link.condition);
    if (condition !== undefined && !isSettled(link, condition)) return link.step;
  }
  return '';
}

/** A step that passed and has nothing to say yet does not hold Ready, nor one that is removed; one that reports trouble does. */
function isSettled(link: ChainLink, condition: ConditionDraft): boolean {
  if (condition.status === 'True' || link.result.type === 'removed') return true;
  return link.result.type === 'passed' && condition.status === 'Unknown';
}

/** Unknown while in progress, False when failed. */
function statusWhileHalted(halt: Waiting | Transient | Terminal): 'False' | 'Unknown' {
  return halt.type === 'waiting' && halt.reason === ENGINE_REASONS.progressing ? 'Unknown' : 'False';
}
