import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '../../controlplane/audit-log.ts';
import { summarise } from '../../e2e/evidence-summary.ts';
import type { SuiteEvidence } from '../../e2e/harness-evidence.ts';
import { checkRevisions } from '../../e2e/status-revisions.ts';
import { checkRights, formatRight, rightsOf } from '../../e2e/used-rights.ts';

const USER = 'system:serviceaccount:homeostat-system:homeostat';

const condition = (type: string, status: string, more: object = {}): object => ({
  type,
  status,
  reason: 'Reason',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 1,
  ...more,
});

/** A status that the service stored. */
function stored(revision: number, conditions: readonly object[], entry: Partial<AuditEntry> = {}): AuditEntry {
  return {
    verb: 'patch',
    requestURI: '/apis/homeostat.io/v1alpha1/namespaces/a/environments/x/status',
    user: { username: USER },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    responseObject: {
      kind: 'Environment',
      apiVersion: 'homeostat.io/v1alpha1',
      metadata: { name: 'x', namespace: 'a', uid: 'u', resourceVersion: String(revision), generation: 1 },
      status: { observedGeneration: 1, conditions },
    },
    ...entry,
  };
}

const READY = condition('Ready', 'True');

test('revisions are counted by what kstatus makes of them', () => {
  const failing = [condition('Ready', 'False'), condition('Stalled', 'True')];
  const { counts, faults } = checkRevisions([stored(1, failing), stored(2, [READY])], USER);
  assert.deepEqual(counts, { Terminating: 0, InProgress: 0, Failed: 1, Current: 1 });
  assert.deepEqual(faults, []);
});

test('what others wrote, dry runs and refusals are not counted', () => {
  const bad = [condition('Ready', 'Unknown'), condition('Reconciling', 'False')];
  const { counts, faults } = checkRevisions(
    [
      stored(1, bad, { user: { username: 'admin' } }),
      stored(2, bad, { requestURI: '/apis/x?dryRun=All' }),
      stored(3, bad, { responseStatus: { code: 409 } }),
    ],
    USER,
  );
  assert.deepEqual([Object.values(counts), faults], [[0, 0, 0, 0], []]);
});

test('a time that moves without a flip, and a generation that goes back, are faults', () => {
  const moved = condition('Ready', 'True', { lastTransitionTime: '2026-01-02T00:00:00Z' });
  assert.deepEqual(checkRevisions([stored(1, [READY]), stored(2, [moved])], USER).faults, [
    'Environment a/x at 2: Ready stays True, and its time moves',
  ]);
});

test('Ready without the reason of Stalled, and Reconciling beside Ready, are faults', () => {
  const stalled = [condition('Ready', 'False'), condition('Stalled', 'True', { reason: 'Other' })];
  const reconciling = [READY, condition('Reconciling', 'True')];
  const { faults } = checkRevisions([stored(1, stalled), stored(2, reconciling)], USER);
  assert.ok(faults.some((fault) => fault.endsWith('Stalled says Other, and Ready Reason')));
  assert.ok(faults.some((fault) => fault.endsWith('Ready is True beside Reconciling')));
});

const GRANTED = rightsOf([
  {
    rules: [
      { apiGroups: ['homeostat.io'], resources: ['environments', 'environments/status'], verbs: ['get', 'patch'] },
    ],
  },
  { rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['own'], verbs: ['get'] }] },
]);

function asked(
  verb: string,
  resource: string,
  more: Partial<AuditEntry> & { readonly name?: string } = {},
): AuditEntry {
  const [plural = '', subresource] = resource.split('/');
  const { name, ...entry } = more;
  const objectRef = {
    apiGroup: plural === 'secrets' ? '' : 'homeostat.io',
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
  };
  return { ...stored(1, []), verb, objectRef, ...entry };
}

test('a request is mapped to the right it needs, by subresource and name', () => {
  const { used, refused, unmapped } = checkRights(
    [
      asked('patch', 'environments/status'),
      asked('get', 'secrets', { name: 'own' }),
      asked('get', 'secrets', { name: 'x' }),
    ],
    GRANTED,
  );
  assert.deepEqual(used.map(formatRight), ['patch environments.homeostat.io/status', 'get secrets own']);
  assert.deepEqual([refused, unmapped], [[], ['get secrets x']]);
});

test('a request that was refused is told', () => {
  const annotations = { 'authorization.k8s.io/decision': 'forbid' };
  const { refused } = checkRights([asked('delete', 'environments', { annotations })], GRANTED);
  assert.deepEqual(refused, ['delete environments.homeostat.io']);
});

test('over all suites a right that nobody used and nobody explains is a problem, and so is an explanation of nothing', () => {
  const suite = (used: number): SuiteEvidence => ({
    suite: 's',
    granted: GRANTED,
    used: GRANTED.slice(0, used),
    revisions: { Terminating: 0, InProgress: 1, Failed: 0, Current: 2 },
  });
  const all = GRANTED.map(formatRight);
  const why = 'for a reason';
  const explained = [
    { right: new RegExp(`^${all[3]}$`), why },
    { right: /^get nothing$/, why },
  ];
  const { figures, problems } = summarise([suite(1), suite(3)], explained);
  assert.match(figures[0] ?? '', /^6 status revisions of 2 suites/);
  assert.deepEqual(problems, [
    `No suite used the right: ${all[4]}`,
    'Not granted, and explained all the same: ^get nothing$ (for a reason)',
  ]);
});
