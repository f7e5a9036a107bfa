import { HomeostatError } from '../base/errors.ts';
import { formatViolation, type Violation } from '../base/violation.ts';
import { decideOnLive, type LiveReader } from '../rules/live-lookup.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { TimeLimit } from './time-limit.ts';
import type { Deny } from './verdict.ts';

/** Live reads may show objects that lead a rule to yet others; a chain longer than this is no confirmation. */
const MAX_ROUNDS = 3;

/** A rule that rests a denial on more objects than this would turn one review into a burst of requests. */
const MAX_LIVE_READS = 32;

/** What the rules said, each by itself: one that throws does not silence the others. */
export interface Evaluation {
  readonly violations: readonly Violation[];
  /** What rules threw. */
  readonly failures: readonly unknown[];
}

/** The violations that refuse. */
function denialsOf(evaluation: Evaluation): readonly Violation[] {
  return evaluation.violations.filter((violation) => violation.severity === 'deny');
}

/** Warnings, in the order of the rules. */
export function warningsOf(evaluation: Evaluation): readonly string[] {
  return evaluation.violations.filter((violation) => violation.severity === 'warn').map(formatViolation);
}

/**
 * What an evaluation comes to: a denial if a rule refuses, whatever others threw; else nothing, if all could be evaluated.
 *
 * Throws what a rule threw when no other rule refuses.
 */
export function denialOf(
  evaluation: Evaluation,
  deny: (violations: readonly Violation[]) => Omit<Deny, 'warnings'>,
): Deny | undefined {
  const { failures } = evaluation;
  const denials = denialsOf(evaluation);
  if (denials.length > 0) return { ...deny(denials), warnings: warningsOf(evaluation), failures };
  if (failures.length > 0) throw failures[0];
  return undefined;
}

/** Runs checks one by one and keeps what each says or throws. Throws as the limit does. */
export function evaluateEach<Check>(
  checks: readonly Check[],
  run: (check: Check) => readonly Violation[],
  limit: TimeLimit,
): Evaluation {
  const violations: Violation[] = [];
  const failures: unknown[] = [];
  for (const check of checks) {
    limit.check();
    try {
      violations.push(...run(check));
    } catch (error) {
      failures.push(error);
    }
  }
  return { violations, failures };
}

/** A denial stayed unconfirmed. Code `HOMEOSTAT_DENIAL_UNCONFIRMED`. */
export class DenialUnconfirmed extends HomeostatError {
  constructor(rules: readonly string[]) {
    super(
      'HOMEOSTAT_DENIAL_UNCONFIRMED',
      `The denials of ${rules.join(', ')} rest on objects that live reads could not confirm within ${MAX_ROUNDS} rounds of at most ${MAX_LIVE_READS}`,
    );
  }
}

/**
 * Evaluates on the caches; where a denial rests on other objects, reads those live and evaluates again on what the API server
 * holds, so that a cache that lags behind refuses nobody.
 *
 * Rejects with {@link DenialUnconfirmed}, as the reader does, or as the limit throws.
 */
export async function evaluateConfirmed(
  evaluate: (lookup: Lookup) => Evaluation,
  cached: Lookup,
  live: LiveReader,
  limit: TimeLimit,
): Promise<Evaluation> {
  const { decision, isSettled } = await decideOnLive({
    cached,
    decide: evaluate,
    restsOn: (evaluation) => denialsOf(evaluation).flatMap((violation) => violation.restsOn ?? []),
    read: live,
    signal: limit.signal,
    maxRounds: MAX_ROUNDS,
    maxReads: MAX_LIVE_READS,
  });
  if (isSettled) return decision;
  throw new DenialUnconfirmed([...new Set(denialsOf(decision).map((violation) => violation.rule))]);
}
