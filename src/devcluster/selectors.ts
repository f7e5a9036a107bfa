import { isRecord } from '../base/json.ts';
import type { StringMap, Unstructured } from '../base/object.ts';
import { listAt, recordAt, textAt, textsAt } from './raw-json.ts';
import type { ServedResource } from './served-resource.ts';
import { badRequest, type StatusError } from './status-error.ts';

/** Tells whether labels match. */
export type LabelTest = (labels: StringMap) => boolean;

/** Tells whether an object matches. */
export type ObjectTest = (object: Unstructured) => boolean;

const EVERYTHING: LabelTest = () => true;
const SET_TERM = /^([^\s!=,()]+)\s+(in|notin)\s+\(([^)]*)\)$/;
const PAIR_TERM = /^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$/;
const NAME_TERM = /^(!?)\s*([^\s!=,()]+)$/;

/** Reads a label selector of a query (`a=b,c in (d,e),!f`). Throws 400 for one that cannot be parsed. */
export function parseLabelSelector(text: string): LabelTest {
  const terms = text.split(/,(?![^(]*\))/).map((term) => term.trim());
  if (text.trim() === '') return EVERYTHING;
  const tests = terms.map(labelTerm);
  return (labels) => tests.every((test) => test(labels));
}

function labelTerm(term: string): LabelTest {
  const set = SET_TERM.exec(term);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return operator === 'in'
      ? (labels) => has(labels, key) && values.includes(labels[key] ?? '')
      : (labels) => !has(labels, key) || !values.includes(labels[key] ?? '');
  }
  const pair = PAIR_TERM.exec(term);
  if (pair !== null) {
    const [, key = '', operator, value = ''] = pair;
    const equal: LabelTest = (labels) => has(labels, key) && labels[key] === value;
    return operator === '!=' ? (labels) => !equal(labels) : equal;
  }
  const name = NAME_TERM.exec(term);
  if (name === null) throw badRequest(`unable to parse requirement: ${term} is not a label selector`);
  const [, not, key = ''] = name;
  return not === '!' ? (labels) => !has(labels, key) : (labels) => has(labels, key);
}

function has(labels: StringMap, key: string): boolean {
  return Object.hasOwn(labels, key);
}

/** Reads a metav1.LabelSelector. An absent or empty one matches everything. */
export function structuredSelector(selector: unknown): LabelTest {
  const pairs = Object.entries(recordAt(selector, 'matchLabels'));
  const expressions = listAt(selector, 'matchExpressions').filter(isRecord);
  return (labels) =>
    pairs.every(([key, value]) => has(labels, key) && labels[key] === value) &&
    expressions.every((expression) => holds(expression, labels));
}

/** Tells whether a metav1.LabelSelector has no terms. */
export function isEmptySelector(selector: unknown): boolean {
  return (
    Object.keys(recordAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0
  );
}

function holds(expression: Readonly<Record<string, unknown>>, labels: StringMap): boolean {
  const key = textAt(expression, 'key');
  const values = textsAt(expression, 'values');
  const present = has(labels, key);
  switch (expression['operator']) {
    case 'In':
      return present && values.includes(labels[key] ?? '');
    case 'NotIn':
      return !present || !values.includes(labels[key] ?? '');
    case 'Exists':
      return present;
    case 'DoesNotExist':
      return !present;
    default:
      return false;
  }
}

/** Fields of Events that kubectl selects by, besides name and namespace. */
const EVENT_FIELDS = new Set([
  'involvedObject.kind',
  'involvedObject.name',
  'involvedObject.namespace',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
]);

/** Reads a field selector over stored objects. Fields other than name and namespace exist for Events and, as `status.phase`, for Namespaces. */
export function parseFieldSelector(text: string, resource: Pick<ServedResource, 'storage' | 'custom'>): ObjectTest {
  if (text.trim() === '') return () => true;
  const tests = text.split(',').map((term): ObjectTest => {
    const match = /^\s*([^!=\s]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(term);
    if (match === null) throw badRequest(`invalid field selector: ${term} is not field=value`);
    const [, field = '', operator, value] = match;
    if (!isKnownField(field, resource.storage)) throw unknownField(field, resource.custom);
    return (object) => (textAt(object, ...field.split('.')) === value) !== (operator === '!=');
  });
  return (object) => tests.every((test) => test(object));
}

function isKnownField(field: string, storage: string): boolean {
  if (field === 'metadata.name' || field === 'metadata.namespace') return true;
  if (storage === 'events') return EVENT_FIELDS.has(field);
  if (storage === 'namespaces') return field === 'status.phase';
  return storage === 'secrets' && field === 'type';
}

function unknownField(field: string, custom: boolean): StatusError {
  return badRequest(
    custom
      ? `field label not supported: ${field}`
      : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** The name a field selector pins down, if it does: such a list is authorized as a read of that object. */
export function selectedName(text: string): string {
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(text)?.[1] ?? '';
}
