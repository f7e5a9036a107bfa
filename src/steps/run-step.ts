import { invariant } from '../base/errors.ts';
import type { ConditionStatus, KubeObject } from '../base/object.ts';
import { type Outcome, passed } from '../base/outcome.ts';
import { describeOutcome } from '../base/outcome-span.ts';
import { keyOf } from '../base/resource.ts';
import { SILENT_TRACER, type SpanAttributes } from '../base/tracer.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import { conditionOf, conditionsOf } from '../status/conditions.ts';
import type { LinkResult } from '../status/pass-report.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import { classify } from './classify.ts';
import type { Pass } from './pass.ts';
import type { AnyStep, ObserveContext, StepContext } from './step.ts';

/** Runs a step's apply. Never rejects: what it throws, and a broken contract, come out of the one table. */
export function applyStep(pass: Pass, step: AnyStep<KubeObject>, needs: object): Promise<Outcome<object>> {
  const previous = conditionOf(conditionsOf(pass.cached), step.condition);
  const context = { ...observeContext(pass, step.name), needs, ...(previous === undefined ? {} : { previous }) };
  // `never` stands for "whatever this step needs": the pipeline's types have made sure that the steps before gave it.
  return runGuarded<object>(pass, step, () => step.apply(context as StepContext<KubeObject, never>));
}

/** Runs a step's removal. What is already gone is removed. */
export function removeStep(
  pass: Pass,
  step: AnyStep<KubeObject>,
  remove: NonNullable<AnyStep<KubeObject>['remove']>,
): Promise<Outcome> {
  return runGuarded(pass, step, async () => {
    try {
      return await remove(observeContext(pass, step.name));
    } catch (error) {
      if (isNotFound(error)) return { type: 'noop', value: undefined };
      throw error;
    }
  });
}

/** What both of a step's functions see, and what is asked on behalf of no step. */
export function observeContext(pass: Pass, step = ''): ObserveContext<KubeObject> {
  const { object, now, maintenance, request } = pass;
  return { object, api: pass.apiFor(step), now, maintenance, signal: request.signal, log: request.log };
}

/** Traces and times anything that is a step to the outside, classifies what it throws, and tells the observer. */
export function runGuarded<Value>(
  pass: Pass,
  step: { readonly name: string; readonly condition: string },
  work: () => Outcome<Value> | Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const { tracer = SILENT_TRACER } = pass.deps;
  const attributes = (): SpanAttributes => ({ 'homeostat.kind': pass.slice.type.kind, 'homeostat.step': step.name });
  return tracer.part({ name: `step ${step.name}`, kind: 'internal', attributes }, async (span) => {
    const outcome = await timed(pass, step, work);
    if (span.recorded) describeOutcome(span, outcome);
    return outcome;
  });
}

async function timed<Value>(
  pass: Pass,
  step: { readonly name: string; readonly condition: string },
  work: () => Outcome<Value> | Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const { clock } = pass.deps;
  const start = clock.monotonic();
  observe(pass, step, { status: 'Unknown', reason: ENGINE_REASONS.progressing, message: '' });
  const outcome = await guarded(pass, step.name, work);
  const seconds = (clock.monotonic() - start) / 1000;
  pass.metrics.stepDuration.observe(seconds, { kind: pass.slice.type.kind, step: step.name });
  observe(pass, step, shownAs(outcome));
  return outcome;
}

async function guarded<Value>(
  pass: Pass,
  name: string,
  work: () => Outcome<Value> | Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  try {
    const outcome: Outcome<Value> | undefined = await work();
    // A step written without types may forget its return.
    invariant(outcome !== undefined, `step "${name}" returns an outcome`);
    return outcome;
  } catch (error) {
    const halt = classify(error, pass.request.signal);
    if (halt.reason === ENGINE_REASONS.bug && error instanceof Error) {
      pass.request.log.error('A step failed in a way nobody foresaw', { step: name, err: error });
    }
    return halt;
  }
}

function shownAs(outcome: Outcome): { status: ConditionStatus; reason: string; message: string } {
  const result = linkResultOf(outcome);
  if (result.type === 'passed') return result;
  return { status: 'False', reason: result.outcome.reason, message: result.outcome.message };
}

/** The link that an outcome leaves in the chain. */
export function linkResultOf(outcome: Outcome): Extract<LinkResult, { readonly type: 'passed' | 'halted' }> {
  if (!passed(outcome)) return { type: 'halted', outcome };
  const { status = 'True', reason = ENGINE_REASONS.succeeded, message = '' } = outcome;
  return { type: 'passed', status, reason, message };
}

function observe(
  pass: Pass,
  step: { readonly name: string; readonly condition: string },
  state: { readonly status: ConditionStatus; readonly reason: string; readonly message: string },
): void {
  const { observer, clock } = pass.deps;
  if (observer === undefined) return;
  const { status, reason, message } = state;
  const key = keyOf(pass.cached);
  observer.onStep({
    type: pass.slice.type,
    key,
    generation: pass.generation,
    step: step.name,
    condition: step.condition,
    status,
    reason,
    message,
    at: clock.now(),
  });
}
