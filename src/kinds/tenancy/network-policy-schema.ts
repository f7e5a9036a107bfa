import {
  integer,
  intOrString,
  list,
  object,
  oneOf,
  optional,
  type Static,
  string,
  withDefault,
} from '../../sdk/index.ts';
import { labelSelectorSchema } from './label-selector.ts';
import { dnsLabel } from './name-schemas.ts';

/** Entries of one list in a policy: rules, peers, ports, exceptions. */
const MAX_ENTRIES = 24;

const peer = object(
  {
    podSelector: optional(labelSelectorSchema('Pods that are meant; an empty selector means all.')),
    namespaceSelector: optional(labelSelectorSchema('Namespaces that are meant; absent, that of the policy.')),
    ipBlock: optional(
      object(
        {
          cidr: string({
            description: 'Block of addresses, such as 10.0.0.0/8 or 2001:db8::/32.',
            minLength: 1,
            maxLength: 64,
          }),
          except: optional(
            list(string({ description: 'A block inside the CIDR.', minLength: 1, maxLength: 64 }), {
              description: 'Blocks inside the CIDR that are left out.',
              maxItems: MAX_ENTRIES,
            }),
          ),
        },
        { description: 'Addresses outside the cluster; excludes the selectors.' },
      ),
    ),
  },
  { description: 'One group of peers.' },
);

const port = object(
  {
    protocol: optional(oneOf(['TCP', 'UDP', 'SCTP'], { description: 'TCP when absent.' })),
    port: optional(intOrString({ description: 'Number or name of the port; absent, all ports.', maxLength: 15 })),
    endPort: optional(
      integer({
        description: 'Last port of a range that starts at port.',
        minimum: 1,
        maximum: 65535,
        format: 'int32',
      }),
    ),
  },
  { description: 'One port or range of ports.' },
);

const ports = optional(list(port, { description: 'Allowed ports; empty or absent, all.', maxItems: MAX_ENTRIES }));
const peers = (description: string) => optional(list(peer, { description, maxItems: MAX_ENTRIES }));

const policySpec = object(
  {
    podSelector: withDefault(labelSelectorSchema('Pods of the namespace the policy is for; empty, all.'), {}),
    policyTypes: optional(
      list(oneOf(['Ingress', 'Egress'], { description: 'A direction.' }), {
        description: 'Directions the policy restricts; absent, Ingress, and Egress where egress rules exist.',
        maxItems: 2,
        listType: 'set',
      }),
    ),
    ingress: optional(
      list(
        object(
          { from: peers('Allowed sources; empty or absent, everybody.'), ports },
          { description: 'One allowed kind of incoming traffic.' },
        ),
        { description: 'Allowed incoming traffic; empty, none.', maxItems: MAX_ENTRIES },
      ),
    ),
    egress: optional(
      list(
        object(
          { to: peers('Allowed destinations; empty or absent, everything.'), ports },
          { description: 'One allowed kind of outgoing traffic.' },
        ),
        { description: 'Allowed outgoing traffic; empty, none.', maxItems: MAX_ENTRIES },
      ),
    ),
  },
  { description: 'The policy, as in networking.k8s.io/v1 NetworkPolicySpec.' },
);

/** Members of one network policy. */
export const networkPolicyMembers = {
  name: dnsLabel('Name of the NetworkPolicy in the namespace.'),
  spec: policySpec,
};

/** One network policy as a schema. */
export const networkPolicySchema = object(networkPolicyMembers, {
  description: 'A NetworkPolicy to be kept in the namespace.',
});

/** One network policy. */
export type NetworkPolicyItem = Static<typeof networkPolicySchema>;

/** The policy itself. */
export type NetworkPolicySpec = Static<typeof policySpec>;

/** One group of peers. */
export type Peer = Static<typeof peer>;

/** One port or range of ports. */
export type Port = Static<typeof port>;
