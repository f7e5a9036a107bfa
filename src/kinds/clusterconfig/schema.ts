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
import { CAPABILITIES } from '../vault/policy-rule.ts';
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

const vaultRule = object(
  {
    paths: list(
      string({
        description: 'Pattern of paths; {namespace}, {team} and {environment} stand for those of the VaultPolicy.',
        minLength: 1,
        maxLength: 256,
      }),
      { description: 'Paths that may be given.', minItems: 1, maxItems: 32, listType: 'set' },
    ),
    capabilities: list(oneOf(CAPABILITIES, { description: 'A capability of Vault.' }), {
      description: 'What may be given on them.',
      minItems: 1,
      maxItems: 8,
      listType: 'set',
    }),
  },
  { description: 'Paths, and what VaultPolicies may give on them.' },
);

const sharedPolicy = object(
  {
    name: string({
      description: 'Name of a policy in Vault that the cluster’s administrators keep.',
      minLength: 1,
      maxLength: 128,
      pattern: '^[a-z0-9][-_.a-z0-9]*$',
    }),
    namespaces: list(
      string({ description: 'A name, or the start of names followed by *.', minLength: 1, maxLength: 64 }),
      { description: 'Namespaces whose VaultApps may bind it.', minItems: 1, maxItems: 128, listType: 'set' },
    ),
  },
  { description: 'A policy that VaultApps may bind although no VaultPolicy makes it.' },
);

const vault = object(
  {
    enabled: withDefault(boolean({ description: 'Whether VaultPolicies and VaultApps have any effect.' }), false),
    rules: withDefault(
      list(vaultRule, { description: 'What VaultPolicies may give; nothing beyond.', maxItems: 64 }),
      [],
    ),
    allowSudo: withDefault(boolean({ description: 'Whether the capability sudo may be given at all.' }), false),
    maxTokenTTLSeconds: withDefault(
      integer({ description: 'No token of a VaultApp may live longer.', minimum: 60, maximum: 31_536_000 }),
      86_400,
    ),
    sharedPolicies: optional(
      list(sharedPolicy, {
        description: 'Policies of the administrators, and who may bind them.',
        maxItems: 64,
        listType: 'map',
        keys: ['name'],
      }),
    ),
    revokeOnViolation: withDefault(
      boolean({ description: 'Takes a policy out of Vault when it is no longer allowed, instead of leaving it.' }),
      false,
    ),
  },
  { description: 'What namespaces may have in Vault.' },
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
        { hard: quantityMap('Ceiling by resource, under whichever of its names: cpu is requests.cpu.', 64) },
        { description: 'No quota of an Environment may exceed this.' },
      ),
    ),
    template: optional(template),
    vault: optional(vault),
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
