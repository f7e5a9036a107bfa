import type { Violation } from '../base/violation.ts';
import { type DenialSubject, forbiddenDenial } from './denial.ts';
import type { Review } from './review.ts';
import { type Allow, allow, type Deny } from './verdict.ts';

/**
 * Annotation by which a dry run asks for a verdict: `allow` or `refuse`. With both, whoever verifies an installation knows that this
 * service answered, whatever other policies the cluster has and whatever its objects are. Only dry runs are heard, of which
 * nothing is stored.
 */
export const VERIFY_ANNOTATION = 'homeostat.io/verify';

/** The verdict that is asked for. */
export type AskedVerdict = 'allow' | 'refuse';

/** What the answer to `allow` says among its warnings. */
export const ALLOWED_AS_ASKED = `${VERIFY_ANNOTATION}: allowed as asked, nothing is stored`;

/** What the answer to `refuse` says. */
export const REFUSED_AS_ASKED = 'refused as asked, nothing would have been stored';

const RULE = 'verify';

/** The verdict a review asks for; `undefined` for all but dry runs that do. */
export function askedVerdict({ dryRun, object }: Review): AskedVerdict | undefined {
  const asked = dryRun ? object?.metadata.annotations?.[VERIFY_ANNOTATION] : undefined;
  return asked === 'allow' || asked === 'refuse' ? asked : undefined;
}

/** Gives the verdict that was asked for. */
export function giveVerdict(asked: AskedVerdict, subject: DenialSubject): Allow | Deny {
  if (asked === 'allow') return allow([ALLOWED_AS_ASKED]);
  const violation: Violation = {
    rule: RULE,
    severity: 'deny',
    type: 'FieldValueForbidden',
    path: ['metadata', 'annotations', VERIFY_ANNOTATION],
    detail: REFUSED_AS_ASKED,
  };
  return { ...forbiddenDenial(subject, [violation]), warnings: [] };
}
