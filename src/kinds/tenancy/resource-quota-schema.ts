import { list, object, oneOf, optional, type Static, string } from '../../sdk/index.ts';
import { dnsLabel } from './name-schemas.ts';
import { quantityMap } from './quantity-schema.ts';

/** Scopes of core/v1 ResourceQuotaScope. */
const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
] as const;

const scopeRequirement = object(
  {
    scopeName: oneOf(SCOPES, { description: 'The scope this requirement speaks of.' }),
    operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], { description: 'How the values are compared.' }),
    values: optional(
      list(string({ description: 'A value of the scope, such as the name of a PriorityClass.', maxLength: 253 }), {
        description: 'Values for In and NotIn; absent for the other operators.',
        maxItems: 16,
        listType: 'atomic',
      }),
    ),
  },
  { description: 'One requirement on a scope.' },
);

/** Members of one quota, core/v1 ResourceQuotaSpec under a name. */
export const resourceQuotaMembers = {
  name: dnsLabel('Name of the ResourceQuota in the namespace.'),
  hard: quantityMap('Upper limit by resource: requests.cpu, limits.memory, pods, count/jobs.batch and the like.', 64),
  scopes: optional(
    list(oneOf(SCOPES, { description: 'A scope every counted object must match.' }), {
      description: 'Only objects that match all scopes are counted.',
      maxItems: 7,
      listType: 'set',
    }),
  ),
  scopeSelector: optional(
    object(
      {
        matchExpressions: optional(
          list(scopeRequirement, { description: 'Requirements that all must hold.', maxItems: 8, listType: 'atomic' }),
        ),
      },
      { description: 'Like scopes, with operators and values.' },
    ),
  ),
};

/** One quota as a schema. */
export const resourceQuotaSchema = object(resourceQuotaMembers, {
  description: 'A ResourceQuota to be kept in the namespace.',
});

/** One quota. */
export type ResourceQuotaItem = Static<typeof resourceQuotaSchema>;
