import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceType } from '../../../src/base/resource.ts';
import { NETWORK_POLICIES, RESOURCE_QUOTAS, ROLE_BINDINGS } from '../../../src/kube/well-known.ts';
import { clusterConfig, environment, KindHarness, teamConfig } from '../../support/kind-harness.ts';

const NAME = 'closed';
const OWNER = { kind: 'User', name: 'boss', role: 'owner' };
const MALLORY = { kind: 'User', name: 'mallory', apiGroup: 'rbac.authorization.k8s.io' };

interface Opened {
  readonly what: string;
  readonly spec: object;
  readonly type: ResourceType;
  /** What somebody puts in by hand where the item has nothing. */
  readonly added: object;
  readonly pointer: string;
}

const binding = (more: object) => ({ roleBindings: [{ name: NAME, roleRef: { name: 'edit' }, ...more }] });
const policy = (more: object) => ({ networkPolicies: [{ name: NAME, spec: { podSelector: {}, ...more } }] });

const OPENED: readonly Opened[] = [
  {
    what: 'a subject in a binding that has none',
    spec: binding({}),
    type: ROLE_BINDINGS,
    added: { subjects: [MALLORY] },
    pointer: '/subjects',
  },
  {
    what: 'a subject in a binding for a role that no member of the team has',
    spec: { teamRef: { name: 'team-a' }, ...binding({ subjectsFromTeam: 'maintainer' }) },
    type: ROLE_BINDINGS,
    added: { subjects: [MALLORY] },
    pointer: '/subjects',
  },
  {
    what: 'a source in a policy that lets nobody in',
    spec: policy({}),
    type: NETWORK_POLICIES,
    added: { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{}] } },
    pointer: '/spec/ingress',
  },
  {
    what: 'a destination in a policy that lets nothing out',
    spec: policy({ policyTypes: ['Egress'] }),
    type: NETWORK_POLICIES,
    added: { spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] } },
    pointer: '/spec/egress',
  },
  {
    what: 'a selector in a quota that counts everything',
    spec: { resourceQuotas: [{ name: NAME, hard: { pods: '5' } }] },
    type: RESOURCE_QUOTAS,
    added: {
      spec: {
        hard: { pods: '5' },
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['none'] }] },
      },
    },
    pointer: '/spec/scopeSelector/matchExpressions',
  },
];

for (const { what, spec, type, added, pointer } of OPENED) {
  test(`what somebody adds by hand is drift: ${what}`, async () => {
    const harness = new KindHarness();
    harness.store(clusterConfig());
    harness.store(teamConfig([OWNER]));
    harness.store(environment(spec));
    await harness.settle();
    harness.takeWrites();
    await harness.pass();
    assert.deepEqual(harness.takeWrites(), []);
    harness.api.edit(type, { namespace: 'team-a-dev', name: NAME }, (child) => ({ ...child, ...added }), 'mallory');
    await harness.settle();
    const notes = harness.events.events.map(({ note }) => note);
    assert.ok(
      notes.includes(`Brought back ${type.kind} team-a-dev/${NAME} ${pointer}, changed by mallory`),
      notes.join('\n'),
    );
    assert.doesNotMatch(JSON.stringify(harness.child(type, NAME)), /"mallory"|gress":\[\{|"none"/);
    harness.takeWrites();
    await harness.pass();
    assert.deepEqual(harness.takeWrites(), []);
  });
}
