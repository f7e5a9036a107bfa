import type { KubeObject } from '../base/object.ts';
import { passed, terminal, type Outcome } from '../base/outcome.ts';
import type { Violation } from '../base/violation.ts';
import { conditionOf, conditionsOf } from '../status/conditions.ts';
import type { ChainLink, PauseReport } from '../status/pass-report.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import { classify, type Halt } from './classify.ts';
import { ensureFinalizer } from './finalizer.ts';
import type { Pass } from './pass.ts';
import { announce } from './pass-events.ts';
import { FINALIZER_STEPS } from './pipeline.ts';
import { describeViolations, violationsOf } from './recheck.ts';
import { applyStep, linkResultOf, observeContext, runGuarded } from './run-step.ts';

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

/** Applies the steps in order until one holds the chain, a pause does, or all have passed. */
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
      await this.#applySteps();
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
    const outcome = await runGuarded(this.#pass, step, () => ensureFinalizer(this.#pass, finalizer.name));
    if (!this.#record(0, outcome)) return false;
    if (passed(outcome)) this.#object = outcome.value.object;
    return true;
  }

  async #applySteps(): Promise<void> {
    const { steps, pause } = this.#pass.pipeline;
    const offset = this.#links.length - steps.length;
    const invalid = this.#invalidStep();
    if (invalid === undefined) return;
    for (const [index, step] of steps.entries()) {
      if (pause?.before === index && this.#pauses(pause.when)) return;
      const outcome =
        invalid.index === index ? this.#refusal(invalid.violations) : await applyStep(this.#pass, step, this.#given);
      if (!this.#record(offset + index, outcome)) return;
      if (passed(outcome)) this.#given = { ...this.#given, ...outcome.value };
    }
  }

  #refusal(violations: readonly Violation[]): Outcome<object> {
    const { invalidEvent: event } = this.#pass.pipeline;
    return terminal(ENGINE_REASONS.invalid, describeViolations(violations), event === undefined ? {} : { event });
  }

  /**
   * The first step that something invalid concerns, past the last where nothing is. `undefined` when the rules could not be asked:
   * that is the first step's trouble, and noted as such.
   */
  #invalidStep(): { readonly index: number; readonly violations: readonly Violation[] } | undefined {
    const { steps, invalid } = this.#pass.pipeline;
    const indexOf = (violation: Violation): number =>
      Math.max(0, invalid === undefined ? 0 : steps.findIndex((step) => step.condition === invalid(violation)));
    try {
      const violations = violationsOf(this.#pass);
      const index = Math.min(steps.length, ...violations.map(indexOf));
      return { index, violations: violations.filter((violation) => indexOf(violation) === index) };
    } catch (error) {
      this.#record(this.#links.length - steps.length, classify(error, this.#pass.request.signal));
      return undefined;
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
      this.#halt = outcome;
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
