import type { Clock } from '../base/clock.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import type { Hook } from '../base/hook.ts';
import type { LogFields, Logger } from '../base/logger.ts';
import { SILENT_TRACER, type Tracer } from '../base/tracer.ts';
import type { AdmissionMetrics } from './admission-metrics.ts';
import { answerOf, type HttpAnswer } from './answer.ts';
import { budgetMs } from './budget.ts';
import { decide, faultOf } from './decide.ts';
import type { DecisionContext } from './decision-context.ts';
import { RetryMemory } from './retry-memory.ts';
import { BadReview, decodeReview, type Review } from './review.ts';
import { describeVerdict, reviewSpan } from './review-span.ts';
import type { AdmissionSlice } from './slice.ts';
import { ReviewTime } from './time-limit.ts';
import { type FaultKind, fault, type Verdict } from './verdict.ts';
import { presentableWarnings } from './warnings.ts';

/** One call of a hook, as it came in. */
export interface HookCall {
  readonly hook: Hook;
  /** The query parameter `timeout` of the API server. */
  readonly timeout: string | undefined;
  /** Monotonic milliseconds at the first byte. */
  readonly startedAt: number;
  /** Names in lower case. @defaultValue none */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Answers reviews without knowing of sockets. */
export interface AdmissionHandler {
  /** The answer to one review. Never rejects. */
  answer(call: HookCall, body: Uint8Array): Promise<HttpAnswer>;
  /** The answer to a call whose body was not or could not be read. */
  refuse(call: HookCall, kind: FaultKind, cause: unknown): HttpAnswer;
}

/** What a handler is made of. */
export interface AdmissionHandlerOptions {
  readonly slices: readonly AdmissionSlice[];
  readonly hooks: readonly Hook[];
  readonly context: DecisionContext;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AdmissionMetrics;
  /** Ends every decision that waits, with a {@link FaultError} as reason. */
  readonly stop: AbortSignal;
  /** @defaultValue records nothing */
  readonly tracer?: Tracer;
}

/**
 * Makes the handler of a hook table.
 *
 * Throws HomeostatError `HOMEOSTAT_HOOK_WITHOUT_KIND` for a hook that no slice answers.
 */
export function createAdmissionHandler(options: AdmissionHandlerOptions): AdmissionHandler {
  const slices = new Map(options.hooks.map((hook) => [hook.name, sliceOf(hook, options.slices)]));
  const { clock, metrics, context, tracer = SILENT_TRACER } = options;

  const retries = new RetryMemory(clock);

  const finish = (call: HookCall, verdict: Verdict, review: Review | undefined, uid: string): HttpAnswer => {
    const elapsed = clock.monotonic() - call.startedAt;
    metrics.answered(call.hook, review?.operation ?? '', verdict, elapsed / 1000);
    logVerdict(options.log, { call, verdict, review, uid, elapsed });
    const budget = budgetMs(call.hook, call.timeout);
    if (verdict.type !== 'fault' || uid === '') return answerOf(call.hook, uid, verdict, budget - elapsed);
    return answerOf(call.hook, uid, verdict, budget - (clock.monotonic() - retries.firstStart(uid, call.startedAt)));
  };

  const judge = async (call: HookCall, body: Uint8Array): Promise<Judged> => {
    let review: Review;
    try {
      review = decodeReview(body);
    } catch (error) {
      return { verdict: faultOf(error), review: undefined, uid: error instanceof BadReview ? error.uid : '' };
    }
    const left = budgetMs(call.hook, call.timeout) - (clock.monotonic() - call.startedAt);
    const limit = new ReviewTime({ clock, leftMs: left, stop: options.stop });
    try {
      const slice = slices.get(call.hook.name);
      const verdict =
        slice === undefined
          ? fault('badReview', new BadReview('the hook is unknown', review.uid))
          : await decide(call.hook, slice, review, { context, limit });
      return { verdict: presentable(verdict), review, uid: review.uid };
    } finally {
      limit.release();
    }
  };

  return {
    answer: (call, body) =>
      tracer.unit(reviewSpan(call.hook, call.headers), async (span) => {
        const { verdict, review, uid } = await judge(call, body);
        const answer = finish(call, verdict, review, uid);
        if (span.recorded) describeVerdict(span, { verdict, review, status: answer.status });
        return answer;
      }),
    refuse: (call, kind, cause) => finish(call, fault(kind, cause), undefined, ''),
  };
}

/** The slice that answers a hook. Throws as {@link createAdmissionHandler} does. */
export function sliceOf(hook: Hook, slices: readonly AdmissionSlice[]): AdmissionSlice {
  const slice = slices.find(({ type }) => type.group === hook.type.group && type.plural === hook.type.plural);
  if (slice !== undefined) return slice;
  throw new HomeostatError(
    'HOMEOSTAT_HOOK_WITHOUT_KIND',
    `Hook ${hook.name} is about ${hook.type.kind}, which no registered kind answers; register the kind or drop the hook`,
  );
}

function presentable(verdict: Verdict): Verdict {
  return verdict.type === 'fault' ? verdict : { ...verdict, warnings: presentableWarnings(verdict.warnings) };
}

interface Judged {
  readonly verdict: Verdict;
  readonly review: Review | undefined;
  readonly uid: string;
}

interface Answered {
  readonly call: HookCall;
  readonly verdict: Verdict;
  readonly review: Review | undefined;
  readonly uid: string;
  readonly elapsed: number;
}

/** One line per Deny or Fault: who and what, never the object, never the user's extra. */
function logVerdict(log: Logger, { call, verdict, review, uid, elapsed }: Answered): void {
  if (verdict.type === 'allow') return;
  const fields: LogFields = {
    hook: call.hook.name,
    uid,
    operation: review?.operation,
    namespace: review?.namespace === '' ? undefined : review?.namespace,
    name: review === undefined ? undefined : nameOf(review),
    user: review?.user.username,
    dryRun: review?.dryRun,
    durationMs: Math.round(elapsed),
  };
  if (verdict.type === 'deny') {
    const failures = verdict.failures?.map(errorText);
    log.info('admission denied', { ...fields, rules: verdict.rules, reason: verdict.reason, failures });
    return;
  }
  const cause = verdict.cause instanceof Error ? verdict.cause : new Error(String(verdict.cause));
  const write = verdict.kind === 'bug' ? log.error : log.warn;
  write.call(log, 'admission not decided', { ...fields, fault: verdict.kind, error: cause });
}

function nameOf(review: Review): string {
  return review.name === '' ? `${review.generateName}*` : review.name;
}
