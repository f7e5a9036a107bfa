import {
  boolean,
  type CustomResource,
  integer,
  list,
  object,
  oneOf,
  optional,
  type Static,
  string,
  withDefault,
} from '../../sdk/index.ts';
import { limitRangeSchema } from '../tenancy/limit-range-schema.ts';
import { annotationMap, dnsLabel, dnsSubdomain, labelMap } from '../tenancy/name-schemas.ts';
import { networkPolicySchema } from '../tenancy/network-policy-schema.ts';
import { resourceQuotaSchema } from '../tenancy/resource-quota-schema.ts';
import { roleBindingSchema } from '../tenancy/role-binding-schema.ts';
import { serviceAccountSchema } from '../tenancy/service-account-schema.ts';
import { MAX_ITEMS } from '../tenancy/tenancy-lists.ts';

/** Lists of children are keyed by name: removing one never renames another. */
const byName = { listType: 'map', keys: ['name'] } as const;

/** What a person wants of an Environment. */
export const environmentSpec = object(
  {
    stage: withDefault(
      dnsLabel(
        'Stage this Environment belongs to, such as dev or prod; mirrored into a label. Instances may serve one stage each.',
      ),
      'dev',
    ),
    clusterConfigRef: withDefault(
      object(
        { name: withDefault(dnsSubdomain('Name of the ClusterConfig.'), 'default') },
        { description: 'The ClusterConfig that says what is allowed and what every Environment gets.' },
      ),
      { name: 'default' },
    ),
    teamRef: optional(
      object(
        { name: dnsSubdomain('Name of the TeamConfig.') },
        { description: 'The team whose members and labels are used.' },
      ),
    ),
    targetNamespace: optional(
      string({
        description: 'Name of the namespace, where the ClusterConfig allows choosing it. Cannot be changed.',
        minLength: 1,
        maxLength: 253,
      }),
    ),
    adoptionPolicy: withDefault(
      oneOf(['Never', 'IfConsented'], {
        description:
          'Whether a namespace that exists already may be taken over; it must say so in its annotation homeostat.io/allow-adoption-by.',
      }),
      'Never',
    ),
    deletionPolicy: withDefault(
      oneOf(['Delete', 'Orphan'], {
        description:
          'What becomes of the namespace when this Environment is deleted. A namespace that was taken over always stays.',
      }),
      'Delete',
    ),
    preventDeletion: withDefault(boolean({ description: 'Refuse to delete this Environment.' }), false),
    paused: withDefault(
      boolean({ description: 'Leave the namespace and what is in it as they are. Deletion still works.' }),
      false,
    ),
    namespaceLabels: optional(labelMap('Labels of the namespace; others are left alone.', 32)),
    namespaceAnnotations: optional(annotationMap('Annotations of the namespace; others are left alone.', 32)),
    resourceQuotas: optional(
      list(resourceQuotaSchema, {
        description: 'ResourceQuotas of the namespace.',
        maxItems: MAX_ITEMS.resourceQuotas,
        ...byName,
      }),
    ),
    limitRanges: optional(
      list(limitRangeSchema, {
        description: 'LimitRanges of the namespace.',
        maxItems: MAX_ITEMS.limitRanges,
        ...byName,
      }),
    ),
    serviceAccounts: optional(
      list(serviceAccountSchema, {
        description: 'ServiceAccounts of the namespace.',
        maxItems: MAX_ITEMS.serviceAccounts,
        ...byName,
      }),
    ),
    roleBindings: optional(
      list(roleBindingSchema, {
        description: 'RoleBindings of the namespace.',
        maxItems: MAX_ITEMS.roleBindings,
        ...byName,
      }),
    ),
    networkPolicies: optional(
      list(networkPolicySchema, {
        description: 'NetworkPolicies of the namespace.',
        maxItems: MAX_ITEMS.networkPolicies,
        ...byName,
      }),
    ),
  },
  { description: 'What the namespace is called, who may use it and what is in it.' },
);

const names = (description: string, maxItems: number) =>
  optional(list(string({ description: 'Name of the object.', maxLength: 253 }), { description, maxItems }));

/** Names a status list may hold: the template's items and the Environment's own. */
const both = (list: keyof typeof MAX_ITEMS): number => 2 * MAX_ITEMS[list];

const inventory = object(
  {
    resourceQuotas: names('ResourceQuotas.', both('resourceQuotas')),
    limitRanges: names('LimitRanges.', both('limitRanges')),
    // Besides them the account `default` that every namespace has.
    serviceAccounts: names('ServiceAccounts.', both('serviceAccounts') + 1),
    roleBindings: names('RoleBindings.', both('roleBindings')),
    networkPolicies: names('NetworkPolicies.', both('networkPolicies')),
  },
  { description: 'What is kept in the namespace. For reading only: what is pruned is told by labels.' },
);

/** Members of the status that the steps give. */
export const environmentStatus = object(
  {
    namespace: optional(string({ description: 'Name of the namespace, as computed.', maxLength: 63 })),
    namespaceUID: optional(string({ description: 'Uid of the namespace, once it is ours.', maxLength: 64 })),
    clusterConfig: optional(
      object(
        {
          name: string({ description: 'Its name.', maxLength: 253 }),
          uid: string({ description: 'Its uid.', maxLength: 64 }),
          generation: integer({
            description: 'Its generation.',
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            format: 'int64',
          }),
        },
        { description: 'The ClusterConfig that was used.' },
      ),
    ),
    inventory: optional(inventory),
  },
  { description: 'What the controller last observed.' },
);

/** The spec of an Environment. */
export type EnvironmentSpec = Static<typeof environmentSpec>;

/** The kind's own members of the status. */
export type EnvironmentStatus = Static<typeof environmentStatus>;

/** An Environment. */
export type Environment = CustomResource<EnvironmentSpec, EnvironmentStatus>;
