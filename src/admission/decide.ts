import type { Hook } from '../base/hook.ts';
import { unreachable } from '../base/errors.ts';
import type { Unstructured } from '../base/object.ts';
import { groupResourceOf } from '../base/resource.ts';
import { CacheNotSynced } from '../rules/lookup.ts';
import { AccessReviewFailed } from './access-reviewer.ts';
import type { DecisionOptions } from './decision-context.ts';
import { DenialUnconfirmed } from './evaluation.ts';
import { LiveReadFailed } from './live-reader.ts';
import { mutationPatch } from './mutation.ts';
import { scopeOf } from './never-block.ts';
import { decideProtection } from './protection.ts';
import { BadReview, type Review } from './review.ts';
import type { AdmissionSlice } from './slice.ts';
import { decideValidation } from './validation.ts';
import { type Allow, allow, type Deny, fault, type Fault, type FaultKind, type Verdict } from './verdict.ts';
import { FaultError } from './fault-error.ts';

/**
 * The verdict on a review of a hook. Never throws: what goes wrong is a {@link Fault}, and a Fault never becomes a denial.
 *
 * `limit` ends rules and waits; its reason says which Fault that is.
 */
export async function decide(
  hook: Hook,
  slice: AdmissionSlice,
  review: Review,
  options: DecisionOptions,
): Promise<Verdict> {
  try {
    checkAddressee(slice, review);
    return await verdictOf(hook, slice, review, options);
  } catch (error) {
    return faultOf(error);
  }
}

/** The Fault that a thrown value means. */
export function faultOf(error: unknown): Fault {
  return fault(faultKindOf(error), error);
}

function faultKindOf(error: unknown): FaultKind {
  if (error instanceof FaultError) return error.kind;
  if (error instanceof BadReview) return 'badReview';
  const outside = [CacheNotSynced, AccessReviewFailed, LiveReadFailed, DenialUnconfirmed];
  return outside.some((known) => error instanceof known) ? 'notReady' : 'bug';
}

function verdictOf(
  hook: Hook,
  slice: AdmissionSlice,
  review: Review,
  options: DecisionOptions,
): Allow | Promise<Allow | Deny> {
  const scope = scopeOf(hook, review);
  if (scope === 'nothing') return allow();
  switch (hook.phase) {
    case 'mutate': {
      if (slice.inject !== undefined) return decideInjection(slice, slice.inject, review, options.context);
      const patch = review.object === undefined ? [] : mutationPatch(slice, review.object);
      return patch.length === 0 ? allow() : { ...allow(), patch };
    }
    case 'validate':
      return decideValidation(slice, review, { ...options, scope });
    case 'protect':
      return decideProtection(slice, review, options);
    default:
      return unreachable(hook.phase);
  }
}

/** A review of another resource or version, from a newer CRD or a wrong configuration, is not ours to judge. */
function checkAddressee(slice: AdmissionSlice, review: Review): void {
  const { group, version, plural, kind } = slice.type;
  const asked = review.resource;
  const expected = `${groupResourceOf(slice.type)} ${version}`;
  if (asked.group !== group || asked.version !== version || asked.plural !== plural) {
    throw new BadReview(
      `it is about ${groupResourceOf(asked)} ${asked.version}, this hook is for ${expected}`,
      review.uid,
    );
  }
  if (review.subresource !== '') return;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  for (const object of [review.object, review.oldObject]) {
    if (object !== undefined && (object.apiVersion !== apiVersion || object.kind !== kind)) {
      throw new BadReview(`it carries another kind than this hook is for, ${expected}`, review.uid);
    }
  }
}

/** An injection never refuses; what it cannot do is a warning. */
function decideInjection(
  slice: AdmissionSlice,
  inject: NonNullable<AdmissionSlice['inject']>,
  { object, namespace }: Review,
  { lookup, outside = {} }: DecisionOptions['context'],
): Allow {
  if (object === undefined) return allow();
  // Raw JSON of a review, of which nothing is known but its identity.
  const injected = inject(object as Unstructured, { lookup, namespace, outside });
  const patch = mutationPatch({ ...slice, mutate: () => injected.object }, object);
  return { ...allow(injected.warnings), ...(patch.length === 0 ? {} : { patch }) };
}
