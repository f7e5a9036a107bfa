import { list, object, oneOf, optional, type Static } from '../../sdk/index.ts';
import { dnsLabel } from './name-schemas.ts';
import { quantityMap } from './quantity-schema.ts';

/** Resources one limit may speak of: few exist, the rest are extended resources. */
const MAX_RESOURCES = 16;

const limit = object(
  {
    type: oneOf(['Pod', 'Container', 'PersistentVolumeClaim'], { description: 'What kind of object is limited.' }),
    max: optional(quantityMap('Largest allowed amount by resource.', MAX_RESOURCES)),
    min: optional(quantityMap('Smallest allowed amount by resource.', MAX_RESOURCES)),
    default: optional(quantityMap('Limit of a container that names none.', MAX_RESOURCES)),
    defaultRequest: optional(quantityMap('Request of a container that names none.', MAX_RESOURCES)),
    maxLimitRequestRatio: optional(
      quantityMap('Largest allowed ratio of limit to request by resource.', MAX_RESOURCES),
    ),
  },
  { description: 'Limits and defaults for one type of object, as in core/v1 LimitRangeItem.' },
);

/** Members of one limit range, core/v1 LimitRangeSpec under a name. */
export const limitRangeMembers = {
  name: dnsLabel('Name of the LimitRange in the namespace.'),
  limits: list(limit, { description: 'Limits, one entry a type.', minItems: 1, maxItems: 8, listType: 'atomic' }),
};

/** One limit range as a schema. */
export const limitRangeSchema = object(limitRangeMembers, { description: 'A LimitRange to be kept in the namespace.' });

/** One limit range. */
export type LimitRangeItem = Static<typeof limitRangeSchema>;

/** One limit of a limit range. */
export type Limit = Static<typeof limit>;
