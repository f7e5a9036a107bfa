import type { FieldPath } from '../base/field-path.ts';
import { exceeds, examples, prefixProblems } from './dns-names.ts';
import { type Finding, invalid } from './rule.ts';

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const NAME_TEXT = new RegExp(`^${NAME}$`);
const VALUE = `(${NAME})?`;
const VALUE_TEXT = new RegExp(`^${VALUE}$`);
const MAX_NAME_BYTES = 63;
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

const NAME_SYNTAX =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/**
 * What is wrong with labels that will be written to an object's metadata (apimachinery apis/meta/v1/validation ValidateLabels).
 * Like the API server, findings stand at the map itself.
 */
export function labelFindings(path: FieldPath, labels: Readonly<Record<string, string>>): readonly Finding[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyFindings(path, key),
    ...labelValueFindings(path, value),
  ]);
}

/** What is wrong with a label key or another qualified name: an optional DNS subdomain and a slash before a name. */
export function labelKeyFindings(path: FieldPath, key: string): readonly Finding[] {
  return keyProblems(key).map((problem) => invalid(path, key, problem));
}

/** What is wrong with a label value; the empty text is one. */
export function labelValueFindings(path: FieldPath, value: string): readonly Finding[] {
  const syntax = `a valid label must be an empty string or ${NAME_SYNTAX.replace('must consist', 'consist')}`;
  const problems = [
    ...(exceeds(value, MAX_NAME_BYTES) ? [`must be no more than ${MAX_NAME_BYTES} bytes`] : []),
    ...(VALUE_TEXT.test(value) ? [] : [`${syntax} ${examples(['MyValue', 'my_value', '12345'], VALUE)}`]),
  ];
  return problems.map((problem) => invalid(path, value, problem));
}

/**
 * What is wrong with annotations (apimachinery api/validation ValidateAnnotations): keys are qualified names of either case, and
 * keys and values together take at most 256 KiB.
 */
export function annotationFindings(path: FieldPath, annotations: Readonly<Record<string, string>>): readonly Finding[] {
  const keys = Object.keys(annotations).flatMap((key) =>
    keyProblems(key.toLowerCase()).map((problem) => invalid(path, key, problem)),
  );
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes <= MAX_ANNOTATIONS_BYTES) return keys;
  return [...keys, { type: 'FieldValueTooLong', path, detail: `may not be more than ${MAX_ANNOTATIONS_BYTES} bytes` }];
}

function keyProblems(key: string): readonly string[] {
  const [first = '', second, ...more] = key.split('/');
  const shown = examples(['MyName', 'my.name', '123-abc'], NAME);
  if (more.length > 0) {
    return [
      `a valid label key ${NAME_SYNTAX} ${shown} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = second ?? first;
  const prefix = second === undefined ? [] : first === '' ? ['must be non-empty'] : prefixProblems(first);
  return [
    ...prefix.map((problem) => `prefix part ${problem}`),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(exceeds(name, MAX_NAME_BYTES) ? [`name part must be no more than ${MAX_NAME_BYTES} bytes`] : []),
    ...(NAME_TEXT.test(name) ? [] : [`name part ${NAME_SYNTAX} ${shown}`]),
  ];
}
