import type { FieldPath } from '../base/field-path.ts';
import type { KubeObject } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import type { Change } from './change.ts';
import type { Lookup } from './lookup.ts';

/**
 * Where a rule is enforced. `C`: as CEL in the CRD, with this TypeScript twin for controller and CLI, so it cannot be
 * bypassed. `W`: webhook and controller, so a webhook that is away is made up for by the controller. `R`: controller only.
 * What the schema says (tier S) is no rule.
 */
export type Tier = 'C' | 'W' | 'R';

/** The CEL spelling of a tier C rule, and where in the schema it stands. */
export interface CelTwin {
  /** Path of the schema node that carries the rule; `[]` is the root, list items are spelled `'*'`. */
  readonly at: readonly string[];
  readonly rule: string;
  readonly message: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Relative path the error is reported at, in CEL's own spelling: `.name`. */
  readonly fieldPath?: string;
}

/** What a rule may look at besides the change. */
export interface RuleContext {
  readonly lookup: Lookup;
  /** The namespace this service runs in: it is protected like kube-system. */
  readonly operatorNamespace: string;
}

/** One statement about an object. Pure: no clock, no I/O, no randomness. */
export interface Rule<T extends KubeObject = KubeObject> {
  /** Stable, dotted, lower-case: `environment.quota-ceiling`. Metric label and condition detail. */
  readonly id: string;
  readonly tier: Tier;
  /**
   * `state` rules speak of one object and run again in the controller; `transition` rules compare before and after and exist
   * in admission alone; `deletion` rules answer the protect hook.
   */
  readonly about: 'state' | 'transition' | 'deletion';
  readonly cel?: CelTwin;
  /** What it demands of which field, in one clause, for the page of rules. @defaultValue the message of its CEL twin */
  readonly says?: string;
  readonly check: (change: Change<T>, context: RuleContext) => readonly Violation[];
}

/** A violation as a rule writes it: id and severity default to the rule's id and `deny`. */
export type Finding = Omit<Violation, 'rule' | 'severity'> & { readonly severity?: 'deny' | 'warn' };

/** A rule about one object, from a function that sees only that object. */
export function stateRule<T extends KubeObject>(
  options: Pick<Rule<T>, 'id' | 'tier' | 'cel' | 'says'>,
  find: (object: T, context: RuleContext) => Iterable<Finding>,
): Rule<T> {
  return {
    ...options,
    about: 'state',
    check: (change, context) => (change.type === 'delete' ? [] : violationsOf(options.id, find(change.after, context))),
  };
}

/** A rule about an update, from a function that sees both objects. */
export function transitionRule<T extends KubeObject>(
  options: Pick<Rule<T>, 'id' | 'tier' | 'cel' | 'says'>,
  find: (before: T, after: T, context: RuleContext) => Iterable<Finding>,
): Rule<T> {
  return {
    ...options,
    about: 'transition',
    check: (change, context) =>
      change.type === 'update' ? violationsOf(options.id, find(change.before, change.after, context)) : [],
  };
}

/** A rule about a deletion. */
export function deletionRule<T extends KubeObject>(
  options: Pick<Rule<T>, 'id' | 'says'>,
  find: (object: T, context: RuleContext) => Iterable<Finding>,
): Rule<T> {
  return {
    ...options,
    tier: 'W',
    about: 'deletion',
    check: (change, context) =>
      change.type === 'delete' ? violationsOf(options.id, find(change.before, context)) : [],
  };
}

/** A finding that a field's value is wrong. */
export function invalid(path: FieldPath, value: unknown, detail: string): Finding {
  return { type: 'FieldValueInvalid', path, value, detail };
}

/** A finding that a field may not be set this way. */
export function forbidden(path: FieldPath, detail: string): Finding {
  return { type: 'FieldValueForbidden', path, detail };
}

function violationsOf(rule: string, findings: Iterable<Finding>): readonly Violation[] {
  // Most rules find nothing in most objects, and each review runs them all.
  const violations: Violation[] = [];
  for (const finding of findings) violations.push({ severity: 'deny', ...finding, rule });
  return violations;
}
