import { type FieldPath, type Finding, forbidden, labelKeyFindings, labelValueFindings } from '../../sdk/index.ts';
import type { LabelSelector } from './label-selector.ts';

/** What the API server would refuse in a label selector (apis/meta/v1/validation ValidateLabelSelector). */
export function* labelSelectorFindings(selector: LabelSelector, path: FieldPath): Generator<Finding> {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    yield* labelKeyFindings([...path, 'matchLabels'], key);
    yield* labelValueFindings([...path, 'matchLabels', { key }], value);
  }
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = [...path, 'matchExpressions', index];
    yield* labelKeyFindings([...at, 'key'], key);
    for (const [position, value] of values.entries()) yield* labelValueFindings([...at, 'values', position], value);
    const needsValues = operator === 'In' || operator === 'NotIn';
    if (needsValues && values.length === 0) {
      const detail = "must be specified when `operator` is 'In' or 'NotIn'";
      yield { type: 'FieldValueRequired', path: [...at, 'values'], detail };
    }
    if (!needsValues && values.length > 0) {
      yield forbidden([...at, 'values'], "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  }
}
