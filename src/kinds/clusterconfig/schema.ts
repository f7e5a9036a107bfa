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
import { limitRangeMembers } from '../tenancy/limit-range-schema.ts';
import { labelSelectorSchema } from '../tenancy/label-selector.ts';
import { dnsLabel, pathSegment } from '../tenancy/name-schemas.ts';
import { networkPolicyMembers } from '../tenancy/network-policy-schema.ts';
import { quantityMap } from '../tenancy/quantity-schema.ts';
import { resourceQuotaMembers } from '../tenancy/resource-quota-schema.ts';
import { roleBindingMembers } from '../tenancy/role-binding-schema.ts';
import { serviceAccountMembers } from '../tenancy/service-account-schema.ts';
import { MAX_ITEMS } from '../tenancy/tenancy-lists.ts';

const required = withDefault(boolean({ description: 'An Environment may not override a required item.' }), false);

/** A list of template items, keyed by name like the Environment's own. */
const byName = { listType: 'map', keys: ['name'] } as const;

const template = object(
  {
    resourceQuotas: optional(
      list(object({ ...resourceQuotaMembers, required }, { description: 'A quota every Environment gets.' }), {
        description: 'Quotas every Environment gets.',
        maxItems: MAX_ITEMS.resourceQuotas,
        ...byName,
      }),
    ),
    limitRanges: optional(
      list(object({ ...limitRangeMembers, required }, { description: 'A limit range every Environment gets.' }), {
        description: 'Limit ranges every Environment gets.',
        maxItems: MAX_ITEMS.limitRanges,
        ...byName,
      }),
    ),
    serviceAccounts: optional(
      list(object({ ...serviceAccountMembers, required }, { description: 'An account every Environment gets.' }), {
        description: 'Service accounts every Environment gets.',
        maxItems: MAX_ITEMS.serviceAccounts,
        ...byName,
      }),
    ),
    roleBindings: optional(
      list(object({ ...roleBindingMembers, required }, { description: 'A binding every Environment gets.' }), {
        description: 'Role bindings every Environment gets.',
        maxItems: MAX_ITEMS.roleBindings,
        ...byName,
      }),
    ),
    networkPolicies: optional(
      list(object({ ...networkPolicyMembers, required }, { description: 'A policy every Environment gets.' }), {
        description: 'Network policies every Environment gets.',
        maxItems: MAX_ITEMS.networkPolicies,
        ...byName,
      }),
    ),
  },
  { description: 'Items every Environment gets, unless it has one of the same name of its own.' },
);

const allowedNamespaces = object(
  {
    names: optional(
      list(dnsLabel('Name of a namespace.'), { description: 'Namespaces by name.', maxItems: 256, listType: 'set' }),
    ),
    selector: optional(labelSelectorSchema('Namespaces by their labels; an empty selector means all.')),
  },
  { description: 'Namespaces whose Environments may use this config, by name or by label; absent, all may.' },
);

const podSecurityLevel = (description: string) => oneOf(['privileged', 'baseline', 'restricted'], { description });

const podSecurity = object(
  {
    enforce: withDefault(podSecurityLevel('Pods below this level are refused.'), 'baseline'),
    warn: withDefault(podSecurityLevel('Pods below this level cause a warning.'), 'restricted'),
    audit: optional(podSecurityLevel('Pods below this level are noted in the audit log.')),
  },
  { description: 'Pod security levels of the namespaces, as labels of pod-security.kubernetes.io.' },
);

/** What a ClusterConfig says. */
export const clusterConfigSpec = object(
  {
    namespaceNameTemplate: withDefault(
      string({
        description: "Name of an Environment's namespace; {namespace}, {name} and {team} stand for its own.",
        minLength: 1,
        maxLength: 128,
      }),
      '{namespace}-{name}',
    ),
    allowExplicitNamespace: withDefault(
      boolean({ description: 'Whether an Environment may choose the name with spec.targetNamespace.' }),
      false,
    ),
    allowedNamespaces: optional(allowedNamespaces),
    protectedNamespaces: optional(
      list(string({ description: 'A name, or the start of names followed by *.', minLength: 1, maxLength: 64 }), {
        description: 'Namespaces no Environment may take, besides default, kube-* and that of this service.',
        maxItems: 128,
        listType: 'set',
      }),
    ),
    podSecurity: withDefault(podSecurity, { enforce: 'baseline', warn: 'restricted' }),
    allowedClusterRoles: withDefault(
      list(pathSegment('Name of a ClusterRole.'), {
        description: 'ClusterRoles that may be bound in Environments. The service itself must hold bind on each.',
        maxItems: 64,
        listType: 'set',
      }),
      ['view', 'edit'],
    ),
    allowedLabelPrefixes: optional(
      list(string({ description: 'Start of a key, such as istio.io/.', minLength: 1, maxLength: 253 }), {
        description: 'Reserved keys an Environment may set on its namespace all the same.',
        maxItems: 32,
        listType: 'set',
      }),
    ),
    quotaCeiling: optional(
      object(
        { hard: quantityMap('Ceiling by resource.', 64) },
        { description: 'No quota of an Environment may exceed this.' },
      ),
    ),
    template: optional(template),
  },
  { description: 'What Environments may do and what each of them gets.' },
);

/** Members of the status that the step gives. */
export const clusterConfigStatus = object(
  {
    environments: optional(
      integer({
        description: 'Number of Environments that refer to this config.',
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        format: 'int64',
      }),
    ),
  },
  { description: 'What the controller last observed.' },
);

/** The spec of a ClusterConfig. */
export type ClusterConfigSpec = Static<typeof clusterConfigSpec>;

/** The kind's own members of the status. */
export type ClusterConfigStatus = Static<typeof clusterConfigStatus>;

/** A ClusterConfig. */
export type ClusterConfig = CustomResource<ClusterConfigSpec, ClusterConfigStatus>;
