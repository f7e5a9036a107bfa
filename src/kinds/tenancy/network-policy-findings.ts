import { type FieldPath, type Finding, invalid, ipBlockFindings, portRangeFindings } from '../../sdk/index.ts';
import { labelSelectorFindings } from './label-selector-findings.ts';
import type { NetworkPolicyItem, Peer, Port } from './network-policy-schema.ts';

/** One rule of a policy, whichever direction. */
interface Side {
  readonly path: FieldPath;
  /** `from` or `to`. */
  readonly member: 'from' | 'to';
  readonly peers: readonly Peer[] | undefined;
  readonly ports: readonly Port[];
}

/** What the API server would refuse in a policy (networking validation, ValidateNetworkPolicySpec). */
export function* networkPolicyFindings({ spec }: NetworkPolicyItem, path: FieldPath): Generator<Finding> {
  yield* labelSelectorFindings(spec.podSelector, [...path, 'spec', 'podSelector']);
  for (const side of sidesOf(spec, [...path, 'spec'])) {
    for (const [index, port] of side.ports.entries()) {
      yield* portRangeFindings([...side.path, 'ports', index], defined(port));
    }
    for (const [index, peer] of (side.peers ?? []).entries()) {
      yield* peerFindings(peer, [...side.path, side.member, index]);
    }
  }
}

/** Lists of peers that are there and empty: they mean everybody, which reads like nobody. */
export function* openPeerFindings({ spec }: NetworkPolicyItem, path: FieldPath): Generator<Finding> {
  for (const { path: at, member, peers } of sidesOf(spec, [...path, 'spec'])) {
    if (peers?.length !== 0) continue;
    const whom = member === 'from' ? 'traffic from everywhere' : 'traffic to everywhere';
    yield { ...invalid([...at, member], [], `an empty list allows ${whom}`), severity: 'warn' };
  }
}

function sidesOf(spec: NetworkPolicyItem['spec'], path: FieldPath): readonly Side[] {
  const ingress = (spec.ingress ?? []).map(
    ({ from, ports = [] }, index): Side => ({ path: [...path, 'ingress', index], member: 'from', peers: from, ports }),
  );
  const egress = (spec.egress ?? []).map(
    ({ to, ports = [] }, index): Side => ({ path: [...path, 'egress', index], member: 'to', peers: to, ports }),
  );
  return [...ingress, ...egress];
}

function* peerFindings({ podSelector, namespaceSelector, ipBlock }: Peer, path: FieldPath): Generator<Finding> {
  if (podSelector !== undefined) yield* labelSelectorFindings(podSelector, [...path, 'podSelector']);
  if (namespaceSelector !== undefined) yield* labelSelectorFindings(namespaceSelector, [...path, 'namespaceSelector']);
  if (ipBlock !== undefined) {
    const { cidr, except } = ipBlock;
    yield* ipBlockFindings([...path, 'ipBlock'], except === undefined ? { cidr } : { cidr, except });
  }
}

function defined({ port, endPort }: Port): { readonly port?: number | string; readonly endPort?: number } {
  return { ...(port === undefined ? {} : { port }), ...(endPort === undefined ? {} : { endPort }) };
}
