import { type FieldPath, formatPath } from './field-path.ts';
import type { ObjectKey, ResourceType } from './resource.ts';

/** Cause types of the API server's field errors (metav1.CauseType), as far as this project gives them. */
export type ViolationType =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTypeInvalid'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound';

/** What a rule says about an object: which field, what is wrong with it, and whether that refuses the object. */
export interface Violation {
  /** Stable id of the rule, `schema` for the schema itself. */
  readonly rule: string;
  readonly severity: 'deny' | 'warn';
  readonly type: ViolationType;
  readonly path: FieldPath;
  /** The offending value; absent where the path alone says enough. */
  readonly value?: unknown;
  /** One sentence without full stop, in the wording of the API server. */
  readonly detail: string;
  /** Other objects whose absence or content the statement rests on: confirmed live before it becomes a denial. */
  readonly restsOn?: readonly ObjectOf[];
}

/** One object of one resource. */
export interface ObjectOf {
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

const WORDS: Readonly<Record<ViolationType, string>> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueNotFound: 'Not found',
};

/** Values longer than this are cut in messages: a message is read by a person and kept in audit logs. */
const SHOWN_VALUE_CHARACTERS = 80;

/** The violation without its path: `Invalid value: "4x": must be a quantity`. It is the message of a status cause. */
export function violationText(violation: Violation): string {
  const word = WORDS[violation.type];
  const quotes =
    violation.type === 'FieldValueRequired' ||
    violation.type === 'FieldValueForbidden' ||
    violation.value === undefined;
  const head = quotes ? word : `${word}: ${shown(violation.value)}`;
  return violation.detail === '' ? head : `${head}: ${violation.detail}`;
}

/** The whole violation as one line: `spec.stage: Invalid value: "Dev": must be a DNS label`. */
export function formatViolation(violation: Violation): string {
  const path = formatPath(violation.path);
  if (path !== '') return `${path}: ${violationText(violation)}`;
  // A refusal of the whole object needs no word of its own: the sentence around it says that it is forbidden.
  return violation.type === 'FieldValueForbidden' ? violation.detail : violationText(violation);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value ?? null);
  if (text.length <= SHOWN_VALUE_CHARACTERS) return text;
  return `${[...text].slice(0, SHOWN_VALUE_CHARACTERS).join('')}…`;
}
