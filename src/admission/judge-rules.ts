import { HomeostatError } from '../base/errors.ts';
import type { KubeObject } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import type { Change } from '../rules/change.ts';
import type { Rule } from '../rules/rule.ts';
import { type Evaluation, evaluateEach } from './evaluation.ts';
import type { AdmissionSlice } from './slice.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * Runs the rules of a slice on a change, each by itself. Rules read what the schema describes; of an object that was stored under an
 * older definition and breaks it to this day, a rule that cannot read it says nothing, for what an update did not bring is no reason
 * to hold it up. Throws as the limit does.
 */
export function judgeRules(
  slice: Pick<AdmissionSlice, 'rules' | 'schema'>,
  change: Change<KubeObject>,
  run: (rule: Rule) => readonly Violation[],
  limit: TimeLimit,
): Evaluation {
  const evaluation = evaluateEach(slice.rules, run, limit);
  if (evaluation.failures.length === 0 || isDescribed(slice, change)) return evaluation;
  // What this service throws with a code is not about the object: a cache that is not complete, for one.
  return { ...evaluation, failures: evaluation.failures.filter((failure) => failure instanceof HomeostatError) };
}

function isDescribed({ schema }: Pick<AdmissionSlice, 'schema'>, change: Change<KubeObject>): boolean {
  const objects = [
    ...(change.type === 'create' ? [] : [change.before]),
    ...(change.type === 'delete' ? [] : [change.after]),
  ];
  return objects.every((object) => schema.violations(object).length === 0);
}
