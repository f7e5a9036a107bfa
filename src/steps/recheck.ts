import type { KubeObject } from '../base/object.ts';
import { formatViolation, type Violation } from '../base/violation.ts';
import { stateViolations } from '../rules/evaluate.ts';
import type { Pass } from './pass.ts';

/** Violations named in one message; a person mends them one by one. */
const NAMED = 3;

/**
 * What admission would refuse about this object. The webhook may have been away, bypassed, or younger than the object, so the
 * same schema and the same rules run again before anything is done. Rules run only on what the schema lets pass.
 */
export function violationsOf(pass: Pick<Pass, 'slice' | 'object' | 'deps' | 'metrics'>): readonly Violation[] {
  const { slice, object, deps, metrics } = pass;
  const broken = slice.schema.violations(object);
  if (broken.length > 0) return broken;
  const context = { lookup: deps.lookup, operatorNamespace: deps.operatorNamespace };
  const denied = stateViolations(slice.rules, object, context).filter(({ severity }) => severity === 'deny');
  for (const id of new Set(denied.map(({ rule }) => rule))) {
    if (slice.rules.find((rule) => rule.id === id)?.tier !== 'R') metrics.admissionBypassed.add({ rule: id });
  }
  return denied;
}

/** The object as if no webhook had ever been bypassed: nulls and unknown members gone, defaults and mutations in place. */
export function prepared(slice: Pass['slice'], cached: KubeObject): KubeObject {
  const complete = slice.schema.prepare(cached);
  return slice.mutate?.(complete) ?? complete;
}

/** The violations in one sentence of a condition. */
export function describeViolations(violations: readonly Violation[]): string {
  const named = violations.slice(0, NAMED).map(formatViolation).join('; ');
  const more = violations.length - NAMED;
  return more > 0 ? `${named}; and ${more} more` : named;
}
