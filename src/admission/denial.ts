import type { ResourceType } from '../base/resource.ts';
import { groupResourceOf } from '../base/resource.ts';
import { formatPath } from '../base/field-path.ts';
import { formatViolation, type Violation, violationText } from '../base/violation.ts';
import type { Deny } from './verdict.ts';

/** More causes than a person reads only fill audit logs. */
const MAX_CAUSES = 20;

/** What a denial is about. */
export interface DenialSubject {
  readonly type: ResourceType;
  readonly name: string;
}

/**
 * 422 Invalid, worded as apimachinery's `errors.NewInvalid` does:
 * `Environment.homeostat.io "x" is invalid: spec.stage: Invalid value: "1": must be a DNS label`.
 */
export function invalidDenial(subject: DenialSubject, violations: readonly Violation[]): Omit<Deny, 'warnings'> {
  const { group, kind } = subject.type;
  const groupKind = group === '' ? kind : `${kind}.${group}`;
  return {
    type: 'deny',
    code: 422,
    reason: 'Invalid',
    message: `${groupKind} ${JSON.stringify(subject.name)} is invalid: ${joined(violations)}`,
    ...commonOf(subject, violations, kind),
  };
}

/**
 * 403 Forbidden, worded as apimachinery's `errors.NewForbidden` does:
 * `environments.homeostat.io "x" is forbidden: spec.preventDeletion: Forbidden: ...`.
 */
export function forbiddenDenial(subject: DenialSubject, violations: readonly Violation[]): Omit<Deny, 'warnings'> {
  const resource = groupResourceOf(subject.type);
  return {
    type: 'deny',
    code: 403,
    reason: 'Forbidden',
    message: `${resource} ${JSON.stringify(subject.name)} is forbidden: ${joined(violations)}`,
    ...commonOf(subject, violations, subject.type.plural),
  };
}

function commonOf(subject: DenialSubject, violations: readonly Violation[], kind: string) {
  const causes = violations.slice(0, MAX_CAUSES).map((violation) => ({
    reason: violation.type,
    message: violationText(violation),
    field: formatPath(violation.path),
  }));
  return {
    details: { name: subject.name, group: subject.type.group, kind, causes },
    rules: [...new Set(violations.map((violation) => violation.rule))],
  };
}

/** One error as it is, several as `[a, b]`, equal ones once: the way of field.ErrorList. */
function joined(violations: readonly Violation[]): string {
  const texts = [...new Set(violations.map(formatViolation))];
  const [first = ''] = texts;
  if (texts.length <= 1) return first;
  const shown = texts.slice(0, MAX_CAUSES);
  if (texts.length > shown.length) shown.push(`and ${texts.length - shown.length} more`);
  return `[${shown.join(', ')}]`;
}
