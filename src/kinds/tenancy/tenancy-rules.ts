import {
  type CelTwin,
  dnsSubdomainFindings,
  type FieldPath,
  type Finding,
  type KubeObject,
  type Rule,
  stateRule,
} from '../../sdk/index.ts';
import { limitRangeFindings } from './limit-range-findings.ts';
import { networkPolicyFindings, openPeerFindings } from './network-policy-findings.ts';
import { resourceQuotaFindings } from './resource-quota-findings.ts';
import { serviceAccountFindings } from './service-account-findings.ts';
import type { TenancyLists } from './tenancy-lists.ts';

/** Where a kind keeps the lists. */
export interface TenancyPlace<Resource extends KubeObject> {
  /** First part of the rules' ids: `environment`. */
  readonly kind: string;
  readonly at: readonly string[];
  readonly listsOf: (object: Resource) => TenancyLists | undefined;
}

/** The rules over the five lists, wherever a kind keeps them. Duplicate names are the schema's matter. */
export function tenancyRules<Resource extends KubeObject>(place: TenancyPlace<Resource>): readonly Rule<Resource>[] {
  const { kind } = place;
  return [
    listRule(
      place,
      { id: `${kind}.resource-quotas`, tier: 'W', says: 'amounts are quantities and scopes fit' },
      'resourceQuotas',
      resourceQuotaFindings,
    ),
    listRule(
      place,
      { id: `${kind}.limit-ranges`, tier: 'W', says: 'amounts are quantities in order' },
      'limitRanges',
      limitRangeFindings,
    ),
    listRule(
      place,
      { id: `${kind}.service-accounts`, tier: 'W', says: 'labels, annotations and names are well formed' },
      'serviceAccounts',
      serviceAccountFindings,
    ),
    listRule(
      place,
      { id: `${kind}.subject-namespace`, tier: 'C', cel: subjectTwin(place.at) },
      'roleBindings',
      subjectFindings,
    ),
    listRule(
      place,
      {
        id: `${kind}.subject-names`,
        tier: 'W',
        says: 'names of subjects are names of service accounts where they are meant',
      },
      'roleBindings',
      subjectNameFindings,
    ),
    ...networkPolicyRules(place),
  ];
}

function networkPolicyRules<Resource extends KubeObject>(place: TenancyPlace<Resource>): readonly Rule<Resource>[] {
  const { kind } = place;
  return [
    listRule(
      place,
      { id: `${kind}.network-policies`, tier: 'W', says: 'selectors, ports and CIDRs are well formed' },
      'networkPolicies',
      networkPolicyFindings,
    ),
    ...(['ingress', 'egress'] as const).map((direction) =>
      listRule(
        place,
        { id: `${kind}.${direction}-peer`, tier: 'C', cel: peerTwin(place.at, direction) },
        'networkPolicies',
        (item, path) => peerFindings(item, direction, path),
      ),
    ),
    listRule(
      place,
      { id: `${kind}.open-peers`, tier: 'W', says: 'warns of peers that let everybody in or out' },
      'networkPolicies',
      openPeerFindings,
    ),
  ];
}

type ItemOf<List extends keyof TenancyLists> = NonNullable<TenancyLists[List]>[number];

function listRule<Resource extends KubeObject, List extends keyof TenancyLists>(
  { at, listsOf }: TenancyPlace<Resource>,
  options: Pick<Rule, 'id' | 'tier' | 'cel' | 'says'>,
  list: List,
  find: (item: ItemOf<List>, path: FieldPath) => Iterable<Finding>,
): Rule<Resource> {
  return stateRule<Resource>(options, function* (object) {
    const items: readonly ItemOf<List>[] = listsOf(object)?.[list] ?? [];
    for (const [index, item] of items.entries()) yield* find(item, [...at, list, index]);
  });
}

const SUBJECT_MESSAGE = 'a ServiceAccount needs a namespace';

function subjectTwin(at: readonly string[]): CelTwin {
  return {
    at: [...at, 'roleBindings', '*', 'subjects', '*'],
    rule: "self.kind != 'ServiceAccount' || has(self.namespace)",
    message: SUBJECT_MESSAGE,
    reason: 'FieldValueRequired',
    fieldPath: '.namespace',
  };
}

function* subjectFindings({ subjects = [] }: ItemOf<'roleBindings'>, path: FieldPath): Generator<Finding> {
  for (const [index, { kind, namespace }] of subjects.entries()) {
    if (kind !== 'ServiceAccount' || namespace !== undefined) continue;
    yield { type: 'FieldValueRequired', path: [...path, 'subjects', index, 'namespace'], detail: SUBJECT_MESSAGE };
  }
}

/** What the API server would refuse in the name of a subject (rbac validation, ValidateRoleBindingSubject). */
function* subjectNameFindings({ subjects = [] }: ItemOf<'roleBindings'>, path: FieldPath): Generator<Finding> {
  for (const [index, { kind, name }] of subjects.entries()) {
    if (kind === 'ServiceAccount') yield* dnsSubdomainFindings([...path, 'subjects', index, 'name'], name);
  }
}

const PEER_MESSAGE = 'either ipBlock or selectors, and at least one of them';

function peerTwin(at: readonly string[], direction: 'ingress' | 'egress'): CelTwin {
  const member = direction === 'ingress' ? 'from' : 'to';
  return {
    at: [...at, 'networkPolicies', '*', 'spec', direction, '*', member, '*'],
    rule: 'has(self.ipBlock) != (has(self.podSelector) || has(self.namespaceSelector))',
    message: PEER_MESSAGE,
  };
}

function* peerFindings(
  { spec }: ItemOf<'networkPolicies'>,
  direction: 'ingress' | 'egress',
  path: FieldPath,
): Generator<Finding> {
  const rules =
    direction === 'ingress'
      ? (spec.ingress ?? []).map(({ from }) => ({ member: 'from', peers: from ?? [] }))
      : (spec.egress ?? []).map(({ to }) => ({ member: 'to', peers: to ?? [] }));
  for (const [index, { member, peers }] of rules.entries()) {
    for (const [position, peer] of peers.entries()) {
      const selected = peer.podSelector !== undefined || peer.namespaceSelector !== undefined;
      if ((peer.ipBlock !== undefined) !== selected) continue;
      const at = [...path, 'spec', direction, index, member, position];
      yield { type: 'FieldValueInvalid', path: at, detail: PEER_MESSAGE };
    }
  }
}
