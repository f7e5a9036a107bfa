import type { KubeObject } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import type { Change } from '../rules/change.ts';
import { unchangedPlace } from '../rules/correlate.ts';
import { evaluateRule } from '../rules/evaluate.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Rule } from '../rules/rule.ts';
import { listKeysOf } from '../schema/list-types.ts';
import type { DecisionOptions } from './decision-context.ts';
import { type DenialSubject, forbiddenDenial, invalidDenial } from './denial.ts';
import { denialOf, type Evaluation, evaluateConfirmed, warningsOf } from './evaluation.ts';
import { judgeRules } from './judge-rules.ts';
import { decideFreeze, type FreezeQuestion, overrideRequests } from './maintenance-freeze.ts';
import type { Scope } from './never-block.ts';
import type { Review } from './review.ts';
import type { AccessRequest, AdmissionSlice } from './slice.ts';
import { type Allow, allow, type Deny } from './verdict.ts';
import { askedVerdict, giveVerdict } from './verification.ts';

/** What a create or an update is judged by. */
const JUDGED: readonly Rule['about'][] = ['state', 'transition'];

/** The id under which a refused access review is counted. */
const ACCESS_RULE = 'access';

/**
 * Judges a create or an update: schema, rules, then the rights of the user. A denial wins over a failure of another rule, a
 * failure wins over permission. A dry run that asks for a verdict gets it once the schema holds and every rule could be evaluated.
 *
 * Rejects with what a rule threw when no other rule refuses, and as confirmation and access reviews do.
 */
export async function decideValidation(
  slice: AdmissionSlice,
  review: Review,
  options: DecisionOptions & { readonly scope: Scope },
): Promise<Allow | Deny> {
  const { context, limit, scope } = options;
  const change = changeOf(slice, review);
  if (change === undefined) return allow();
  const subject: DenialSubject = { type: slice.type, name: review.name };

  const schemaViolations = scope === 'everything' ? brokenBy(slice, change) : [];
  // Rules read typed objects, so they wait until the schema is satisfied: the order of the API server itself.
  if (schemaViolations.length > 0) return { ...invalidDenial(subject, schemaViolations), warnings: [] };

  const inScope = (path: Violation['path']): boolean => scope === 'everything' || path[0] === 'metadata';
  const listKeys = listKeysOf(slice.schema.root);
  const evaluate = (lookup: Lookup): Evaluation => {
    const rests = { lookup, operatorNamespace: context.operatorNamespace };
    const options = { about: JUDGED, listKeys };
    const judge = (rule: Rule): readonly Violation[] => {
      const violations = evaluateRule(rule, change, rests, options);
      return violations.length === 0 ? violations : violations.filter(({ path }) => inScope(path));
    };
    return judgeRules(slice, change, judge, limit);
  };
  const evaluation = await evaluateConfirmed(evaluate, context.lookup, context.live, limit);
  const asked = askedVerdict(review);
  if (asked !== undefined && evaluation.failures.length === 0) return giveVerdict(asked, subject);
  const denial = denialOf(evaluation, (violations) => invalidDenial(subject, violations));
  if (denial !== undefined) return denial;

  const freeze = freezeQuestionOf(slice, change, options);
  const frozen = freeze === undefined ? undefined : await decideFreeze(freeze, subject, options);
  if (frozen !== undefined) return frozen;

  const requests = [
    ...(slice.accessReviews?.(change, context.lookup) ?? []).filter((request) => inScope(request.path)),
    ...(freeze === undefined ? [] : overrideRequests(freeze, context.lookup)),
  ];
  const refusals = await refusedRights(requests, review, options);
  const warnings = warningsOf(evaluation);
  return refusals.length > 0 ? { ...forbiddenDenial(subject, refusals), warnings } : allow(warnings);
}

function changeOf(slice: AdmissionSlice, review: Review): Change<KubeObject> | undefined {
  if (review.object === undefined) return undefined;
  // No change where the API server has defaulted already; a CRD older than this program may lack a default.
  const after = slice.schema.prepare(review.object);
  if (review.oldObject === undefined) return { type: 'create', after };
  return { type: 'update', before: slice.schema.prepare(review.oldObject), after };
}

function freezeQuestionOf(
  { type }: AdmissionSlice,
  change: Change<KubeObject>,
  { context, scope }: DecisionOptions & { readonly scope: Scope },
): FreezeQuestion | undefined {
  const { freeze } = context;
  if (freeze === undefined) return undefined;
  return { maintenance: freeze.maintenance, type, change, changesContent: scope === 'everything', nowMs: freeze.now() };
}

/** Schema violations, less those the old object has at the same place (ratcheting). */
function brokenBy(slice: AdmissionSlice, change: Change<KubeObject>): readonly Violation[] {
  if (change.type === 'delete') return [];
  const violations = slice.schema.violations(change.after);
  if (change.type === 'create' || violations.length === 0) return violations;
  const { before, after } = change;
  const listKeys = listKeysOf(slice.schema.root);
  return violations.filter(({ path }) => unchangedPlace(path, { before, after, listKeys }) === undefined);
}

async function refusedRights(
  requests: readonly AccessRequest[],
  review: Review,
  { context, limit }: DecisionOptions,
): Promise<readonly Violation[]> {
  if (requests.length === 0) return [];
  const { user } = review;
  const answers = await Promise.all(
    requests.map(async (request) => ({ request, allowed: await context.access.allowed(user, request, limit) })),
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
