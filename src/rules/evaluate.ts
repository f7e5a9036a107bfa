import { formatPointer } from '../base/field-path.ts';
import type { KubeObject } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import type { Change } from './change.ts';
import { keyedByName, type ListKeys, unchangedPlace } from './correlate.ts';
import type { Rule, RuleContext } from './rule.ts';

const EVERYTHING: readonly Rule['about'][] = ['state', 'transition', 'deletion'];

/** How {@link evaluateRules} looks at a change. */
export interface EvaluateOptions {
  /** Kinds of rules to run. @defaultValue all that speak of the change: state and transition, or deletion */
  readonly about?: readonly Rule['about'][];
  /** Keys of the list maps of the kind's schema. @defaultValue {@link keyedByName} */
  readonly listKeys?: ListKeys;
}

/**
 * What a kind's rules say about one admission, in the order of the rules and of their findings. Rules of tier R are for the
 * controller alone and do not run here.
 *
 * An update is not refused for what it did not bring: a violation of a state rule becomes a warning where the value at its path
 * is the one the old object has at the same place, and the old object broke the same rule there. Items of list maps are the
 * same place when their keys are equal; a list without keys is compared as a whole (the API server's ratcheting,
 * apiserver pkg/cel/common/equality.go).
 *
 * @throws CacheNotSynced when a rule reads a cache that has not synced
 */
export function evaluateRules<T extends KubeObject>(
  rules: readonly Rule<T>[],
  change: Change<T>,
  context: RuleContext,
  options: EvaluateOptions = {},
): readonly Violation[] {
  return rules.flatMap((rule) => evaluateRule(rule, change, context, options));
}

/** The same of one rule. */
export function evaluateRule<T extends KubeObject>(
  rule: Rule<T>,
  change: Change<T>,
  context: RuleContext,
  { about = EVERYTHING, listKeys = keyedByName }: EvaluateOptions = {},
): readonly Violation[] {
  if (rule.tier === 'R' || !about.includes(rule.about)) return [];
  const violations = rule.check(change, context);
  if (rule.about !== 'state' || change.type !== 'update' || violations.length === 0) return violations;
  return ratchet(violations, rule, change, { context, listKeys });
}

/** What the state rules of every tier say about an object, for the controller before it acts. Order as in {@link evaluateRules}. */
export function stateViolations<T extends KubeObject>(
  rules: readonly Rule<T>[],
  object: T,
  context: RuleContext,
): readonly Violation[] {
  const change: Change<T> = { type: 'create', after: object };
  return rules.filter((rule) => rule.about === 'state').flatMap((rule) => rule.check(change, context));
}

function ratchet<T extends KubeObject>(
  violations: readonly Violation[],
  rule: Rule<T>,
  change: Extract<Change<T>, { readonly type: 'update' }>,
  { context, listKeys }: { readonly context: RuleContext; readonly listKeys: ListKeys },
): readonly Violation[] {
  const { before, after } = change;
  const broken = new Set(rule.check({ type: 'create', after: before }, context).map(({ path }) => formatPointer(path)));
  return violations.map((violation) => {
    const place = unchangedPlace(violation.path, { before, after, listKeys });
    const stood = place !== undefined && broken.has(formatPointer(place));
    return stood ? { ...violation, severity: 'warn' } : violation;
  });
}
