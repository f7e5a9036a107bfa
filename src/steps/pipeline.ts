import { HomeostatError, unreachable } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import { SUMMARY_CONDITIONS } from '../status/summary.ts';
import { type RetiredStep, retiredStep } from './retired-step.ts';
import type { AnyStep, ObserveContext, Step, StepContext } from './step.ts';

/** Why a pass stops before the later steps although nothing is wrong: conditions of the later steps are kept. */
export interface Pause {
  readonly reason: string;
  readonly message: string;
  /** Type of the negative condition that tells of it. @defaultValue `Paused` */
  readonly condition?: 'Paused' | 'Suspended';
}

/** The one finalizer of a kind, and how the engine reports adding and dropping it. */
export interface FinalizerOptions {
  readonly name: string;
  /** Condition type of adding it, the first step of the chain. */
  readonly ensured: string;
  /** Condition type of dropping it, the last step of the chain, present only while deleting. */
  readonly deleted: string;
  /**
   * Whether an object needs it; one that does not is let go at once when it is deleted, and loses a finalizer it no longer needs.
   * @defaultValue every object does
   */
  readonly when?: (object: never) => boolean;
  /** Reason of `deleted` while a removal waits. @defaultValue the removal's own reason */
  readonly waiting?: string;
}

/** What ends the building of a pipeline. */
export interface PipelineOptions<K extends KubeObject, Known extends object> {
  /** Added before the first step and dropped after the last removal. Absent where no step removes. */
  readonly finalizer?: FinalizerOptions;
  /**
   * Fields of the status beyond conditions and observedGeneration, from what the steps gave this pass. A field that is left out
   * keeps its stored value, `null` removes it.
   */
  readonly status?: (given: Partial<Known>, object: K) => JsonObject;
  /**
   * Condition type of the step that a violation concerns, for objects that got past admission: it carries the reason `Invalid`, and
   * no step runs. @defaultValue the first step's
   */
  readonly invalid?: (violation: Violation) => string;
  /** Reason of the Warning event about such an object. @defaultValue `Invalid` */
  readonly invalidEvent?: string;
  /** The steps keep something outside the cluster, whose change no watch tells: a converged object is looked at again in a while. */
  readonly rechecks?: boolean;
}

/** One part of a chain, in order of application. */
export type Part =
  | { readonly type: 'step'; readonly step: AnyStep<KubeObject> }
  /** Every member runs, whatever becomes of the others. */
  | { readonly type: 'group'; readonly steps: readonly AnyStep<KubeObject>[] }
  /** Runs where `when` holds; elsewhere its steps must have nothing left, and are removed in reverse. */
  | {
      readonly type: 'branch';
      readonly when: (context: StepContext<KubeObject, never>) => boolean;
      readonly parts: readonly Part[];
    };

/** A finished pipeline, closed over its kind's types. Steps in order of application. */
export interface Pipeline {
  /** All steps, those of groups and branches included. */
  readonly steps: readonly AnyStep<KubeObject>[];
  readonly parts: readonly Part[];
  /** Index of the first step that a pause holds back, and the question whether to pause. */
  readonly pause?: {
    readonly before: number;
    readonly when: (context: ObserveContext<KubeObject>) => Pause | undefined;
  };
  readonly finalizer?: FinalizerOptions;
  readonly status?: (given: JsonObject, object: KubeObject) => JsonObject;
  readonly invalid?: (violation: Violation) => string;
  readonly invalidEvent?: string;
  readonly rechecks?: boolean;
}

/**
 * Collects steps in order; each may need what the ones before it gave, and a missing need is a compile error. A builder never
 * changes: every call returns a new one.
 *
 * @typeParam Known what the steps so far give
 */
export interface PipelineBuilder<K extends KubeObject, Known extends object> {
  readonly step: <Gives extends object>(step: Step<K, Known, Gives>) => PipelineBuilder<K, Known & Gives>;
  /**
   * Steps that do not need each other. All of them run, four at a time, also when one is held up; the later parts run when all have
   * passed, and what holds the chain is the worst outcome: terminal, then transient, then waiting.
   */
  readonly all: <const Steps extends readonly Step<K, Known, object>[]>(
    ...steps: Steps
  ) => PipelineBuilder<K, Known & GivenByAll<Steps[number]>>;
  /**
   * Steps that are wanted only where `when` holds. Where it does not, what they made is removed in reverse, each confirmed gone, before
   * the later parts run. A branch holds no pause.
   */
  readonly branch: <Inner extends Known>(
    when: (context: StepContext<K, Known>) => boolean,
    inner: (branch: PipelineBuilder<K, Known>) => PipelineBuilder<K, Inner>,
  ) => PipelineBuilder<K, Known & Partial<Omit<Inner, keyof Known>>>;
  /** Keeps taking away what a step of an earlier version made; it makes nothing. */
  readonly retired: (step: RetiredStep<K>) => PipelineBuilder<K, Known>;
  /**
   * The steps after this point do not run while `when` names a reason; deletion always runs. Behind the last step it only tells, for
   * steps that hold a part of their work back themselves. At most one per pipeline.
   */
  readonly pauseHere: (when: (context: ObserveContext<K>) => Pause | undefined) => PipelineBuilder<K, Known>;
  /** Validates: unique names, unique conditions, a finalizer where a step removes. Throws `HOMEOSTAT_PIPELINE_INVALID`. */
  readonly build: (options: PipelineOptions<K, Known>) => Pipeline;
}

/** Everything that the members of a group give. */
type GivenByAll<Member> = (Member extends Step<never, never, infer Gives> ? (given: Gives) => void : never) extends (
  given: infer All,
) => void
  ? All
  : never;

/** A pipeline cannot be built as written. Code `HOMEOSTAT_PIPELINE_INVALID`; thrown while a kind is being defined. */
export class PipelineInvalid extends HomeostatError {
  constructor(what: string) {
    super('HOMEOSTAT_PIPELINE_INVALID', `The pipeline cannot be built: ${what}`);
    this.name = 'PipelineInvalid';
  }
}

/** Names under which the engine reports its own two steps. */
export const FINALIZER_STEPS = { ensure: 'EnsureFinalizer', delete: 'DeleteFinalizer' } as const;

/** Starts a pipeline for one kind of object. */
export function pipeline<K extends KubeObject>(): PipelineBuilder<K, object> {
  return builder<K, object>({ parts: [] });
}

/** What a builder has collected. */
interface Collected {
  readonly parts: readonly Part[];
  readonly pause?: NonNullable<Pipeline['pause']>;
}

/** What builders have collected: a branch asks for what its inner builder has. */
const collections = new WeakMap<object, Collected>();

function builder<K extends KubeObject, Known extends object>(collected: Collected): PipelineBuilder<K, Known> {
  const { parts, pause } = collected;
  const extended = <Next extends object>(part: Part): PipelineBuilder<K, Next> =>
    builder({ ...collected, parts: [...parts, part] });
  const made: PipelineBuilder<K, Known> = {
    step: (step) => extended({ type: 'step', step: closed(step) }),
    all: (...steps) => extended({ type: 'group', steps: steps.map((step) => closed(step)) }),
    branch: (when, inner) => {
      const { parts: own = [], pause: innerPause } = collections.get(inner(builder({ parts: [] }))) ?? {};
      if (innerPause !== undefined) throw new PipelineInvalid('a branch has a pause; put it before the branch');
      // The engine asks with objects of the kind and what the parts before gave.
      const asked = when as unknown as (context: StepContext<KubeObject, never>) => boolean;
      return extended({ type: 'branch', when: asked, parts: own });
    },
    retired: (step) => extended({ type: 'step', step: closed(retiredStep(step)) }),
    pauseHere: (when) => {
      if (pause !== undefined) throw new PipelineInvalid('it has two pauses; the second would never be reached');
      // As with the step: the engine asks with objects of the kind.
      const asked = when as NonNullable<Pipeline['pause']>['when'];
      return builder({ parts, pause: { before: parts.flatMap(stepsOf).length, when: asked } });
    },
    build: (options) => {
      const { status, ...rest } = options;
      const built: Pipeline = {
        ...rest,
        parts,
        steps: parts.flatMap(stepsOf),
        ...(pause === undefined ? {} : { pause }),
        // The engine calls it with what these very steps gave.
        ...(status === undefined ? {} : { status: status as unknown as NonNullable<Pipeline['status']> }),
      };
      check(built);
      return built;
    },
  };
  collections.set(made, collected);
  return made;
}

/**
 * A step leaves its types here: the engine hands it objects of the kind and what the steps before gave, which the signatures of the
 * builder have just checked.
 */
function closed<K extends KubeObject, Needs extends object>(step: Step<K, Needs, object>): AnyStep<KubeObject> {
  return step as unknown as AnyStep<KubeObject>;
}

/** The steps of a part in order of application. */
export function stepsOf(part: Part): readonly AnyStep<KubeObject>[] {
  switch (part.type) {
    case 'step':
      return [part.step];
    case 'group':
      return part.steps;
    case 'branch':
      return part.parts.flatMap(stepsOf);
    default:
      return unreachable(part);
  }
}

function check(built: Pipeline): void {
  const { steps, finalizer } = built;
  if (steps.length === 0) throw new PipelineInvalid('it has no step');
  const names = [...steps.map((step) => step.name), FINALIZER_STEPS.ensure, FINALIZER_STEPS.delete];
  const conditions = [
    ...steps.map((step) => step.condition),
    ...(finalizer === undefined ? [] : [finalizer.ensured, finalizer.deleted]),
    ...SUMMARY_CONDITIONS,
  ];
  refuseRepeated('step', names);
  refuseRepeated('condition', conditions);
  for (const word of [...names, ...conditions]) {
    if (!/^[A-Z][A-Za-z0-9]*$/.test(word)) throw new PipelineInvalid(`"${word}" is not PascalCase`);
  }
  const removing = steps.find((step) => step.remove !== undefined);
  if (removing !== undefined && finalizer === undefined) {
    throw new PipelineInvalid(`step "${removing.name}" removes something, so a finalizer is needed`);
  }
}

function refuseRepeated(what: string, words: readonly string[]): void {
  const repeated = words.find((word, index) => words.indexOf(word) !== index);
  if (repeated !== undefined)
    throw new PipelineInvalid(`the ${what} "${repeated}" stands twice, or is the engine's own`);
}
