import { intOrString, map, roundedUpToMilli, type Schema } from '../../sdk/index.ts';

/** A quantity as people write it. */
export type Quantity = number | string;

/** Quantities by resource name. */
export type Quantities = Readonly<Record<string, Quantity>>;

/**
 * A map of quantities. The spelling is checked by a rule: a pattern's refusal would show people a regular expression, and the
 * range needs arithmetic anyway.
 */
export function quantityMap(description: string, maxProperties: number): Schema<Quantities> {
  return map(intOrString({ description: 'A quantity, such as 500m, 4 or 8Gi.', maxLength: 32 }), {
    description,
    maxProperties,
  });
}

/** Quantities as the API server's types hold them: always text, in the author's spelling unless it is finer than they can be. */
export function quantityTexts(quantities: Quantities): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(quantities).map(([resource, quantity]) => [resource, roundedUpToMilli(quantity)]),
  );
}
