import { list, map, object, oneOf, optional, type Schema, string, type StringMap } from '../../sdk/index.ts';

/** Selects by labels. */
export type LabelSelector = {
  readonly matchLabels?: StringMap;
  readonly matchExpressions?: readonly LabelRequirement[];
};

/** One requirement on a label. */
export type LabelRequirement = {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
};

/** metav1.LabelSelector, bounded. */
export const labelSelectorSchema = (description: string): Schema<LabelSelector> =>
  object(
    {
      matchLabels: optional(
        map(string({ description: 'Wanted value of this label.', maxLength: 63 }), {
          description: 'Labels that must be equal.',
          maxProperties: 16,
        }),
      ),
      matchExpressions: optional(
        list(
          object(
            {
              key: string({ description: 'Key of the label.', minLength: 1, maxLength: 317 }),
              operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], {
                description: 'How the values are compared.',
              }),
              values: optional(
                list(string({ description: 'A value of the label.', maxLength: 63 }), {
                  description: 'Values for In and NotIn; absent for the other operators.',
                  maxItems: 16,
                }),
              ),
            },
            { description: 'One requirement on a label.' },
          ),
          { description: 'Requirements that all must hold.', maxItems: 16 },
        ),
      ),
    },
    { description },
  );

/** Tells whether labels match; an empty selector matches everything (apimachinery LabelSelectorAsSelector). */
export function selects(selector: LabelSelector, labels: StringMap = {}): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return equal && (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels));
}

function meets({ key, operator, values = [] }: LabelRequirement, labels: StringMap): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
