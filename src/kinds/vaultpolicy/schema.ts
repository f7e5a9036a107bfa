import {
  type CustomResource,
  list,
  map,
  object,
  oneOf,
  optional,
  type Static,
  string,
  withDefault,
} from '../../sdk/index.ts';
import { CAPABILITIES } from '../vault/policy-rule.ts';

/** Longest text of a policy; Vault's own limit is that of a request, 32 MiB. */
const MAX_TEXT = 65_536;

const values = (description: string) =>
  map(
    list(string({ description: 'A value, or a pattern of values.', maxLength: 256 }), {
      description: 'Values; an empty list means any.',
      maxItems: 64,
    }),
    { description, maxProperties: 64 },
  );

const rule = object(
  {
    path: string({
      description: 'Path in Vault; + stands for one segment, * at the end for any rest.',
      minLength: 1,
      maxLength: 512,
    }),
    capabilities: list(oneOf(CAPABILITIES, { description: 'A capability of Vault.' }), {
      description: 'What is allowed there; deny takes everything away.',
      minItems: 1,
      maxItems: 8,
      listType: 'set',
    }),
    description: optional(string({ description: 'What the rule is for, for people.', maxLength: 256 })),
    allowedParameters: optional(values('Parameters that may be sent, and their values.')),
    deniedParameters: optional(values('Parameters that may not be sent, and their values.')),
    requiredParameters: optional(
      list(string({ description: 'Name of a parameter.', minLength: 1, maxLength: 256 }), {
        description: 'Parameters that must be sent.',
        maxItems: 64,
        listType: 'set',
      }),
    ),
  },
  { description: 'What is allowed on one path.' },
);

/** What a person wants of a VaultPolicy. */
export const vaultPolicySpec = object(
  {
    policy: optional(
      string({
        description: 'The policy as text, HCL or JSON, as the vault command takes it. Either this or rules.',
        minLength: 1,
        maxLength: MAX_TEXT,
      }),
    ),
    rules: optional(
      list(rule, { description: 'The policy as rules. Either this or policy.', minItems: 1, maxItems: 100 }),
    ),
    deletionPolicy: withDefault(
      oneOf(['Delete', 'Retain'], {
        description: 'Whether the policy goes from Vault together with this object, or stays there.',
      }),
      'Delete',
    ),
  },
  { description: 'The policy, and what becomes of it.' },
);

/** Members of the status that the steps give. */
export const vaultPolicyStatus = object(
  {
    policyName: optional(string({ description: 'Name of the policy in Vault.', maxLength: 253 })),
    vaultNamespace: optional(
      string({ description: 'Namespace within Vault; empty for the root namespace.', maxLength: 253 }),
    ),
    policyHash: optional(string({ description: 'Hash of the meaning of the policy that is in Vault.', maxLength: 64 })),
    lastChangedTime: optional(
      string({ description: 'When the policy was last written to Vault.', format: 'date-time', maxLength: 64 }),
    ),
  },
  { description: 'What the controller last observed.' },
);

/** The spec of a VaultPolicy. */
export type VaultPolicySpec = Static<typeof vaultPolicySpec>;

/** The kind's own members of the status. */
export type VaultPolicyStatus = Static<typeof vaultPolicyStatus>;

/** A VaultPolicy. */
export type VaultPolicy = CustomResource<VaultPolicySpec, VaultPolicyStatus>;
