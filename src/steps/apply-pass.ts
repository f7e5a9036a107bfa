import { unreachable } from '../base/errors.ts';
import type { KubeObject } from '../base/object.ts';
import { noop, passed, terminal, type Outcome } from '../base/outcome.ts';
import type { Violation } from '../base/violation.ts';
import { conditionOf, conditionsOf } from '../status/conditions.ts';
import { type ChainLink, type PauseReport, severityOf } from '../status/pass-report.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import { forEachBounded } from './bounded.ts';
import { classify, type Halt } from './classify.ts';
import { ensureFinalizer, releaseFinalizer } from './finalizer.ts';
import type { Pass } from './pass.ts';
import { announce } from './pass-events.ts';
import { FINALIZER_STEPS, type Part, stepsOf } from './pipeline.ts';
import { describeViolations, violationsOf } from './recheck.ts';
import { applyStep, linkResultOf, observeContext, removeStep, runGuarded } from './run-step.ts';
import type { AnyStep, StepContext } from './step.ts';

/** What the steps of one pass came to. */
export interface ChainResult {
  readonly links: readonly ChainLink[];
  readonly halt?: Halt;
  readonly pause?: PauseReport;
  /** Everything the steps that passed gave. */
  readonly given: object;
  /** The object as the last write of this pass left it. */
  readonly object: KubeObject;
  /** The last link that wrote something, for whoever asks why a pass keeps writing. */
  readonly lastChange?: { readonly link: number; readonly what: string };
  readonly requeueAfterMs?: number;
}

/** Members of a group that run at a time. */
const GROUP_CONCURRENCY = 4;

/**
 * Applies the steps in order until one holds the chain, a pause does, or all have passed. No step runs for an object that breaks a
 * rule: a chain that went as far as it could would leave half of something that nobody asked for.
 */
export class ApplyPass {
  readonly #pass: Pass;
  readonly #links: ChainLink[];
  #given: object = {};
  #object: KubeObject;
  #halt: Halt | undefined;
  #pause: PauseReport | undefined;
  #lastChange: { readonly link: number; readonly what: string } | undefined;
  #requeueAfterMs: number | undefined;

  constructor(pass: Pass) {
    this.#pass = pass;
    this.#object = pass.cached;
    this.#links = initialLinks(pass.pipeline);
  }

  /** @param firstSight called after the finalizer stands and before the first step, with the object as it is then */
  async run(
    firstSight: (links: readonly ChainLink[], object: KubeObject) => Promise<KubeObject>,
  ): Promise<ChainResult> {
    if (await this.#ensureFinalizer()) {
      this.#object = await firstSight(this.#links, this.#object);
      const { parts, steps, pause } = this.#pass.pipeline;
      const all = !this.#isRefused() && (await this.#applyParts(parts));
      // A pause behind the last step holds nothing back and is told all the same.
      if (all && pause?.before === steps.length) this.#pauses(pause.when);
    }
    return {
      links: this.#links,
      given: this.#given,
      object: this.#object,
      ...(this.#halt === undefined ? {} : { halt: this.#halt }),
      ...(this.#pause === undefined ? {} : { pause: this.#pause }),
      ...(this.#lastChange === undefined ? {} : { lastChange: this.#lastChange }),
      ...(this.#requeueAfterMs === undefined ? {} : { requeueAfterMs: this.#requeueAfterMs }),
    };
  }

  async #ensureFinalizer(): Promise<boolean> {
    const { finalizer } = this.#pass.pipeline;
    if (finalizer === undefined) return true;
    const step = { name: FINALIZER_STEPS.ensure, condition: finalizer.ensured };
    // `never` stands for the kind of the pipeline, which is that of the object.
    const isNeeded = finalizer.when?.(this.#pass.object as never) ?? true;
    const bring = isNeeded ? ensureFinalizer : releaseFinalizer;
    const outcome = await runGuarded(this.#pass, step, () => bring(this.#pass, finalizer.name));
    if (!this.#record(0, outcome)) return false;
    if (passed(outcome)) this.#object = outcome.value.object;
    return true;
  }

  /** Resolves with whether the later parts may run. */
  async #applyParts(parts: readonly Part[]): Promise<boolean> {
    for (const part of parts) if (!(await this.#applyPart(part))) return false;
    return true;
  }

  async #applyPart(part: Part): Promise<boolean> {
    const { pause } = this.#pass.pipeline;
    const [first] = stepsOf(part);
    if (pause !== undefined && pause.before === this.#indexOf(first) && this.#pauses(pause.when)) return false;
    switch (part.type) {
      case 'step':
        return this.#applyAll([part.step]);
      case 'group':
        return this.#applyAll(part.steps);
      case 'branch':
        return this.#isWanted(part) ? this.#applyParts(part.parts) : this.#removeUnwanted(part);
      default:
        return unreachable(part);
    }
  }

  /** Runs steps that do not need each other. A single one is a group of itself. */
  async #applyAll(steps: readonly AnyStep<KubeObject>[]): Promise<boolean> {
    const given = this.#given;
    const run = async (
      step: AnyStep<KubeObject>,
    ): Promise<{ readonly index: number; readonly outcome: Outcome<object> }> => ({
      index: this.#indexOf(step),
      outcome: await applyStep(this.#pass, step, given),
    });
    // What cuts a pass off ends each step by itself, so that each has its outcome.
    const signal = new AbortController().signal;
    const results = await forEachBounded(steps, { limit: GROUP_CONCURRENCY, signal }, run);
    let all = true;
    for (const { index, outcome } of results) {
      all = this.#record(this.#offset + index, outcome) && all;
      if (passed(outcome)) this.#given = { ...this.#given, ...outcome.value };
    }
    return all;
  }

  #isWanted({ when }: Extract<Part, { readonly type: 'branch' }>): boolean {
    // `never` stands for what the parts before gave, which the pipeline's types have made sure of.
    return when({ ...observeContext(this.#pass), needs: this.#given } as StepContext<KubeObject, never>);
  }

  /** What a branch made must not exist where it is not wanted: in reverse, each confirmed gone before the next. */
  async #removeUnwanted(part: Part): Promise<boolean> {
    const word = { status: 'Unknown', reason: ENGINE_REASONS.notWanted, message: 'Not wanted here' } as const;
    for (const step of stepsOf(part).toReversed()) {
      const outcome = step.remove === undefined ? noop(undefined) : await removeStep(this.#pass, step, step.remove);
      const told = passed(outcome) ? { ...outcome, ...word } : outcome;
      if (!this.#record(this.#offset + this.#indexOf(step), told)) return false;
    }
    return true;
  }

  #indexOf(step: AnyStep<KubeObject> | undefined): number {
    return this.#pass.pipeline.steps.findIndex((one) => one === step);
  }

  /** Links before that of the first step: the finalizer's. */
  get #offset(): number {
    return this.#links.length - this.#pass.pipeline.steps.length;
  }

  /**
   * Whether the object breaks a rule; each step that a violation concerns then carries its own. Rules that could not be asked are
   * the first step's trouble, and noted as such.
   */
  #isRefused(): boolean {
    const { steps, invalid, invalidEvent: event } = this.#pass.pipeline;
    const concerned = (violation: Violation): number =>
      Math.max(0, invalid === undefined ? 0 : steps.findIndex((step) => step.condition === invalid(violation)));
    try {
      const byStep = [...Map.groupBy(violationsOf(this.#pass), concerned)].toSorted(([left], [right]) => left - right);
      for (const [index, violations] of byStep) {
        const words = describeViolations(violations);
        this.#record(
          this.#offset + index,
          terminal(ENGINE_REASONS.invalid, words, event === undefined ? {} : { event }),
        );
      }
      return byStep.length > 0;
    } catch (error) {
      this.#record(this.#offset, classify(error, this.#pass.request.signal));
      return true;
    }
  }

  #pauses(when: NonNullable<Pass['pipeline']['pause']>['when']): boolean {
    const pause = when(observeContext(this.#pass));
    if (pause === undefined) return false;
    this.#pause = { condition: pause.condition ?? 'Paused', reason: pause.reason, message: pause.message };
    return true;
  }

  /** Notes what a step came to and tells whether the next one may run. */
  #record(index: number, outcome: Outcome): boolean {
    const link = this.#links[index];
    if (link === undefined) return false;
    this.#links[index] = { ...link, result: linkResultOf(outcome) };
    if (!passed(outcome)) {
      if (this.#halt === undefined || severityOf(outcome) > severityOf(this.#halt)) this.#halt = outcome;
      return false;
    }
    if (outcome.requeueAfterMs !== undefined) {
      this.#requeueAfterMs = Math.min(outcome.requeueAfterMs, this.#requeueAfterMs ?? outcome.requeueAfterMs);
    }
    if (outcome.type === 'done') {
      const before = conditionOf(conditionsOf(this.#pass.cached), link.condition);
      const what = announce(this.#pass, outcome, before);
      if (outcome.changed) this.#lastChange = { link: index, what };
    }
    return true;
  }
}

/** The chain before anything ran. */
export function initialLinks(pipeline: Pass['pipeline']): ChainLink[] {
  const { finalizer, steps } = pipeline;
  const result = { type: 'unreached' } as const;
  return [
    ...(finalizer === undefined ? [] : [{ step: FINALIZER_STEPS.ensure, condition: finalizer.ensured, result }]),
    ...steps.map((step) => ({ step: step.name, condition: step.condition, result })),
  ];
}
