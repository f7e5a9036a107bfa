import type { Violation } from '../base/violation.ts';
import { evaluateRule } from '../rules/evaluate.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Rule } from '../rules/rule.ts';
import type { DecisionOptions } from './decision-context.ts';
import { forbiddenDenial } from './denial.ts';
import { denialOf, type Evaluation, evaluateConfirmed, warningsOf } from './evaluation.ts';
import { judgeRules } from './judge-rules.ts';
import type { Review } from './review.ts';
import type { AdmissionSlice } from './slice.ts';
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
  { context, limit }: DecisionOptions,
): Promise<Allow | Deny> {
  const { oldObject, namespace } = review;
  if (oldObject === undefined || (namespace !== '' && context.isTerminating(namespace))) return allow();
  const change = { type: 'delete', before: slice.schema.prepare(oldObject) } as const;
  const { operatorNamespace } = context;
  const judge = (rule: Rule, lookup: Lookup): readonly Violation[] =>
    evaluateRule(rule, change, { lookup, operatorNamespace }, { about: ['deletion'] });
  const evaluate = (lookup: Lookup): Evaluation => judgeRules(slice, change, (rule) => judge(rule, lookup), limit);
  const evaluation = await evaluateConfirmed(evaluate, context.lookup, context.live, limit);
  const subject = { type: slice.type, name: review.name };
  const denial = denialOf(evaluation, (violations) => forbiddenDenial(subject, violations));
  return denial ?? allow(warningsOf(evaluation));
}
