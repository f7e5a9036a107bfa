import { evaluateRules } from '../rules/evaluate.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { DecisionOptions } from './decision-context.ts';
import { forbiddenDenial } from './denial.ts';
import { denialsOf, type Evaluation, evaluateConfirmed, evaluateEach } from './evaluation.ts';
import type { Review } from './review.ts';
import type { AdmissionSlice } from './slice.ts';
import { failureOf, warningsOf } from './validation.ts';
import { type Allow, allow, type Deny } from './verdict.ts';

/**
 * Judges a deletion by the kind's deletion rules. A namespace that is being deleted takes its objects with it, so nothing in it
 * is held back.
 *
 * Rejects with what a rule threw when no other rule refuses, and as confirmation does.
 */
export async function decideProtection(
  slice: AdmissionSlice,
  review: Review,
  { context, signal }: DecisionOptions,
): Promise<Allow | Deny> {
  const { oldObject, namespace } = review;
  if (oldObject === undefined || (namespace !== '' && context.isTerminating(namespace))) return allow();
  const rules = slice.rules.filter((rule) => rule.about === 'deletion');
  const change = { type: 'delete', before: slice.schema.prepare(oldObject) } as const;
  const evaluate = (lookup: Lookup): Evaluation =>
    evaluateEach(
      rules,
      (rule) => evaluateRules([rule], change, { lookup, operatorNamespace: context.operatorNamespace }),
      signal,
    );
  const evaluation = await evaluateConfirmed(evaluate, context.lookup, context.live, signal);
  const warnings = warningsOf(evaluation);
  const denials = denialsOf(evaluation);
  if (denials.length > 0) {
    return { ...forbiddenDenial({ type: slice.type, name: review.name }, denials), warnings, ...failureOf(evaluation) };
  }
  if (evaluation.failure !== undefined) throw evaluation.failure;
  return allow(warnings);
}
