import { valueAt } from '../base/field-path.ts';
import { jsonEqual } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import { formatViolation, type Violation } from '../base/violation.ts';
import type { Change } from '../rules/change.ts';
import { evaluateRules } from '../rules/evaluate.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { DecisionOptions } from './decision-context.ts';
import { type DenialSubject, forbiddenDenial, invalidDenial } from './denial.ts';
import { denialsOf, type Evaluation, evaluateConfirmed, evaluateEach } from './evaluation.ts';
import type { Scope } from './never-block.ts';
import type { Review } from './review.ts';
import type { AccessRequest, AdmissionSlice } from './slice.ts';
import { type Allow, allow, type Deny } from './verdict.ts';

/** The id under which a refused access review is counted. */
const ACCESS_RULE = 'access';

/**
 * Judges a create or an update: schema, rules, then the rights of the user. A denial wins over a failure of another rule, a
 * failure wins over permission.
 *
 * Rejects with what a rule threw when no other rule refuses, and as confirmation and access reviews do.
 */
export async function decideValidation(
  slice: AdmissionSlice,
  review: Review,
  options: DecisionOptions & { readonly scope: Scope },
): Promise<Allow | Deny> {
  const { context, signal, scope } = options;
  const change = changeOf(slice, review);
  if (change === undefined) return allow();
  const subject: DenialSubject = { type: slice.type, name: review.name };

  const schemaViolations = scope === 'everything' ? brokenBy(slice, change) : [];
  // Rules read typed objects, so they wait until the schema is satisfied: the order of the API server itself.
  if (schemaViolations.length > 0) return { ...invalidDenial(subject, schemaViolations), warnings: [] };

  const inScope = (path: Violation['path']): boolean => scope === 'everything' || path[0] === 'metadata';
  const rules = slice.rules.filter((rule) => rule.tier !== 'R' && rule.about !== 'deletion');
  const evaluate = (lookup: Lookup): Evaluation =>
    evaluateEach(
      rules,
      (rule) =>
        evaluateRules([rule], change, { lookup, operatorNamespace: context.operatorNamespace }).filter((violation) =>
          inScope(violation.path),
        ),
      signal,
    );
  const evaluation = await evaluateConfirmed(evaluate, context.lookup, context.live, signal);
  const warnings = warningsOf(evaluation);
  const denials = denialsOf(evaluation);
  if (denials.length > 0) return { ...invalidDenial(subject, denials), warnings, ...failureOf(evaluation) };
  if (evaluation.failure !== undefined) throw evaluation.failure;

  const requests = (slice.accessReviews?.(change, context.lookup) ?? []).filter((request) => inScope(request.path));
  const refusals = await refusedRights(requests, review, options);
  return refusals.length > 0 ? { ...forbiddenDenial(subject, refusals), warnings } : allow(warnings);
}

/** Warnings of an evaluation, in the order of the rules. */
export function warningsOf(evaluation: Evaluation): readonly string[] {
  return evaluation.violations.filter((violation) => violation.severity === 'warn').map(formatViolation);
}

/** What another rule threw beside a denial, for the log. */
export function failureOf(evaluation: Evaluation): Pick<Deny, 'failure'> {
  return evaluation.failure === undefined ? {} : { failure: evaluation.failure };
}

function changeOf(slice: AdmissionSlice, review: Review): Change<KubeObject> | undefined {
  if (review.object === undefined) return undefined;
  // No change where the API server has defaulted already; a CRD older than this program may lack a default.
  const after = slice.schema.prepare(review.object);
  if (review.oldObject === undefined) return { type: 'create', after };
  return { type: 'update', before: slice.schema.prepare(review.oldObject), after };
}

/** Schema violations, less those an update leaves as they were (ratcheting). */
function brokenBy(slice: AdmissionSlice, change: Change<KubeObject>): readonly Violation[] {
  if (change.type === 'delete') return [];
  const violations = slice.schema.violations(change.after);
  if (change.type === 'create') return violations;
  const { before, after } = change;
  return violations.filter(({ path }) => !jsonEqual(valueAt(before, path), valueAt(after, path)));
}

async function refusedRights(
  requests: readonly AccessRequest[],
  review: Review,
  { context, signal }: DecisionOptions,
): Promise<readonly Violation[]> {
  const { user } = review;
  const answers = await Promise.all(
    requests.map(async (request) => ({ request, allowed: await context.access.allowed(user, request, signal) })),
  );
  return answers
    .filter((answer) => !answer.allowed)
    .map(({ request }) => ({
      rule: ACCESS_RULE,
      severity: 'deny',
      type: 'FieldValueForbidden',
      path: request.path,
      detail: request.denial(user.username),
    }));
}
