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
import { dnsLabel, dnsSubdomain } from '../tenancy/name-schemas.ts';

/** A year: longer lives no token. */
const MAX_SECONDS = 31_536_000;

/** What a person wants of a VaultApp. */
export const vaultAppSpec = object(
  {
    serviceAccountNames: list(dnsSubdomain('Name of a service account in this namespace.'), {
      description: 'Service accounts whose Pods may log in.',
      minItems: 1,
      maxItems: 20,
      listType: 'set',
    }),
    policyRefs: withDefault(
      list(dnsLabel('Name of a VaultPolicy in this namespace.'), {
        description: 'VaultPolicies whose rights a login gives.',
        maxItems: 20,
        listType: 'set',
      }),
      [],
    ),
    sharedPolicies: withDefault(
      list(string({ description: 'Name of a policy in Vault.', minLength: 1, maxLength: 128 }), {
        description: 'Policies of the administrators that the ClusterConfig lets this namespace bind.',
        maxItems: 20,
        listType: 'set',
      }),
      [],
    ),
    audience: withDefault(
      string({
        description: 'Audience that a service account’s token must name; that of injected tokens too.',
        minLength: 1,
        maxLength: 253,
      }),
      'vault',
    ),
    tokenTTLSeconds: withDefault(
      integer({ description: 'Life of a Vault token unless it is renewed.', minimum: 60, maximum: MAX_SECONDS }),
      3600,
    ),
    tokenMaxTTLSeconds: withDefault(
      integer({ description: 'Life of a Vault token with all renewals.', minimum: 60, maximum: MAX_SECONDS }),
      14_400,
    ),
    tokenPeriodSeconds: withDefault(
      integer({
        description:
          'Makes tokens periodic: each renewal gives so many seconds, up to the ceiling of the ClusterConfig.',
        minimum: 0,
        maximum: MAX_SECONDS,
      }),
      0,
    ),
    tokenType: withDefault(
      oneOf(['default', 'service', 'batch'], {
        description: 'Kind of token; batch tokens are neither stored nor renewed.',
      }),
      'default',
    ),
    noDefaultPolicy: withDefault(
      boolean({ description: 'Leaves out Vault’s policy default, without which a token cannot even renew itself.' }),
      false,
    ),
    boundCIDRs: optional(
      list(string({ description: 'An address range, such as 10.0.0.0/8.', minLength: 1, maxLength: 64 }), {
        description: 'Addresses that may log in and use the token; all where absent.',
        maxItems: 32,
        listType: 'set',
      }),
    ),
    deletionPolicy: withDefault(
      oneOf(['Delete', 'Retain'], {
        description: 'Whether the role goes from Vault together with this object, or stays there.',
      }),
      'Delete',
    ),
  },
  { description: 'Who logs in, and with which rights.' },
);

/** Members of the status that the steps give. */
export const vaultAppStatus = object(
  {
    roleName: optional(string({ description: 'Role to log in with.', maxLength: 253 })),
    authMount: optional(string({ description: 'Mount of the auth method, below auth/.', maxLength: 253 })),
    boundPolicies: optional(
      list(string({ description: 'Name of a policy in Vault.', maxLength: 253 }), {
        description: 'Policies that a login gives now.',
        maxItems: 40,
      }),
    ),
    boundPolicyCount: optional(integer({ description: 'Number of them.', minimum: 0, maximum: 40, format: 'int32' })),
  },
  { description: 'What the controller last observed.' },
);

/** The spec of a VaultApp. */
export type VaultAppSpec = Static<typeof vaultAppSpec>;

/** The kind's own members of the status. */
export type VaultAppStatus = Static<typeof vaultAppStatus>;

/** A VaultApp. */
export type VaultApp = CustomResource<VaultAppSpec, VaultAppStatus>;
