import { type JsonObject, object, optional, string } from 'homeostat';

/** What the steps give to the status. */
export interface Given {
  readonly configMap: string;
}

/** Members of the status besides the conditions, which come by themselves. */
export const status = object(
  { configMap: optional(string({ description: 'The ConfigMap that holds the text.', maxLength: 253 })) },
  { description: 'What the controller last saw of this widget.' },
);

/** The status of a pass, from what its steps gave. */
export function statusOf({ configMap }: Partial<Given>): JsonObject {
  return configMap === undefined ? {} : { configMap };
}
