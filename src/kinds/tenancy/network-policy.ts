import { type Manifest, NETWORK_POLICIES } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
import type { LabelSelector } from './label-selector.ts';
import type { NetworkPolicyItem, NetworkPolicySpec, Peer, Port } from './network-policy-schema.ts';
import { withoutEmpty } from './without-empty.ts';

/** NetworkPolicies. */
export const networkPolicyForm: ChildForm<NetworkPolicyItem> = {
  type: NETWORK_POLICIES,
  manifest: ({ name, spec }, namespace) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace },
    spec,
  }),
  normalise: normaliseNetworkPolicy,
  unordered: ['/spec/policyTypes'],
};

/**
 * Fills in and drops what the API server does (networking/v1 defaults): the protocol is TCP, the types follow from the rules,
 * empty lists vanish inside of rules, empty selectors stay. The rules themselves are sent where there are none, so that one added by hand
 * is drift: it would open what the policy closes.
 */
function normaliseNetworkPolicy(manifest: Manifest): Manifest {
  // The manifest is one this file made.
  const spec = manifest['spec'] as NetworkPolicySpec;
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec;
  const implied = egress.length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
  return {
    ...manifest,
    spec: {
      podSelector: selector(podSelector),
      policyTypes: policyTypes.length === 0 ? implied : policyTypes,
      ingress: ingress.map(({ from, ports }) => withoutEmpty({ from: from?.map(peer), ports: ports?.map(port) })),
      egress: egress.map(({ to, ports }) => withoutEmpty({ to: to?.map(peer), ports: ports?.map(port) })),
    },
  };
}

function peer({ podSelector, namespaceSelector, ipBlock }: Peer): object {
  return withoutEmpty({
    podSelector: podSelector && selector(podSelector),
    namespaceSelector: namespaceSelector && selector(namespaceSelector),
    ipBlock: ipBlock && withoutEmpty(ipBlock),
  });
}

function port({ protocol = 'TCP', ...rest }: Port): object {
  return { protocol, ...rest };
}

function selector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): object {
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...withoutEmpty({ matchExpressions: matchExpressions.map((one) => withoutEmpty(one)) }),
  };
}
