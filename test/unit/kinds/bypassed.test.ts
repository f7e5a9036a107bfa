import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../src/base/resource.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { SERVICE_ACCOUNTS } from '../../../src/kube/well-known.ts';
import type { Kind } from '../../../src/sdk/kind.ts';
import { conditionsOf } from '../../../src/status/conditions.ts';
import { BYPASSING_OBJECTS, manifestsOf, WARNING_RULES } from '../../support/bypassing-objects.ts';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';

for (const bypassing of BYPASSING_OBJECTS) {
  test(`with no webhook ${bypassing.rule} is a condition in the webhook's own words, and nothing is written`, async () => {
    const harness = new KindHarness();
    const kind = kindNamed(bypassing.kind);
    const { config, object } = manifestsOf(bypassing, 'bypassed');
    if (config !== undefined) harness.store(config);
    const said = harness.judge(kind, { type: 'create', after: object }).filter((text) => !text.startsWith('warning:'));
    assert.equal(said.length, 1, said.join('\n'));
    harness.store(object);
    await harness.pass(kind, keyOf(object));
    const stored = harness.api.peek(kind.type, keyOf(object));
    const conditions = stored === undefined ? [] : conditionsOf(stored);
    const told = conditions.filter(({ status, reason }) => status === 'False' && reason === 'Invalid');
    assert.ok(
      told.some(({ message }) => message === said[0]),
      JSON.stringify(conditions, null, 1),
    );
    assert.deepEqual(writesBesides(kind, harness), []);
  });
}

test('every rule that an absent webhook lets pass is in the table', () => {
  const states = kinds
    .filter(({ pipeline }) => pipeline !== undefined)
    .flatMap(({ rules }) => rules.filter(({ tier, about }) => tier === 'W' && about === 'state'))
    .map(({ id }) => id)
    .filter((id) => !WARNING_RULES.includes(id));
  const shown = BYPASSING_OBJECTS.map(({ rule }) => rule);
  const known = states.filter((id) => ['environment', 'clusterconfig'].includes(id.split('.')[0] ?? ''));
  assert.deepEqual(shown.toSorted(), known.toSorted());
});

/** Findings of the rules that speak in admission alone; a step finds the same and has a reason of its own. */
const STEP_FINDINGS = [
  { what: 'a protected name', config: { allowExplicitNamespace: true }, spec: { targetNamespace: 'kube-system' } },
  { what: 'a name that may not be chosen', config: {}, spec: { targetNamespace: 'mine' } },
  { what: 'a name that is none', config: { allowExplicitNamespace: true }, spec: { targetNamespace: 'Not-A-Name' } },
  {
    what: 'a config that does not admit',
    config: { allowedNamespaces: { from: 'Selector', selector: { matchLabels: { tier: 'none' } } } },
    spec: {},
  },
] as const;

for (const { what, config, spec } of STEP_FINDINGS) {
  test(`with no webhook a step finds ${what} and says what the webhook would`, async () => {
    const harness = new KindHarness();
    const { config: needed, object } = manifestsOf({ rule: '', kind: 'Environment', config, spec }, 'bypassed');
    if (needed !== undefined) harness.store(needed);
    const [said = ''] = harness.judge(kindNamed('Environment'), { type: 'create', after: object });
    harness.store(object);
    await harness.pass(kindNamed('Environment'), keyOf(object));
    const stored = harness.api.peek(kindNamed('Environment').type, keyOf(object));
    const failed = (stored === undefined ? [] : conditionsOf(stored)).filter(({ status }) => status !== 'True');
    assert.ok(
      failed.some(({ message }) => message !== undefined && message !== '' && said.includes(message)),
      `${said}\n${JSON.stringify(failed)}`,
    );
    assert.deepEqual(writesBesides(kindNamed('Environment'), harness), []);
  });
}

test('an Environment that becomes invalid by an edit of its ClusterConfig is left as it is, drift included', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(
    environment({ resourceQuotas: [{ name: 'q', hard: { pods: '50' } }], serviceAccounts: [{ name: 's' }] }),
  );
  await harness.settle();
  harness.editSpec(clusterConfig(), (spec) => ({ ...spec, quotaCeiling: { hard: { pods: '5' } } }));
  harness.api.edit(SERVICE_ACCOUNTS, { namespace: 'team-a-dev', name: 's' }, (account) => ({
    ...account,
    automountServiceAccountToken: true,
  }));
  harness.takeWrites();
  await harness.settle();
  assert.deepEqual(writesBesides(kindNamed('Environment'), harness), []);
  assert.equal(harness.state('ResourceQuotasApplied'), 'False/Invalid');
  assert.equal(harness.state('NamespaceReady'), 'True/Active');
});

test('an invalid Environment is deleted with everything it has', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  await harness.settle();
  harness.editSpec(environment(), (spec) => ({ ...spec, namespaceLabels: { ok: 'not ok!' } }));
  await harness.settle();
  assert.equal(harness.state('NamespaceReady'), 'False/Invalid');
  harness.api.remove(kindNamed('Environment').type, { namespace: 'team-a', name: 'dev' });
  await harness.settle();
  assert.equal(harness.namespace, undefined);
  await harness.settle();
  assert.equal(harness.environment, undefined);
});

/** Writes to anything but objects of this kind. */
function writesBesides({ type }: Kind, harness: KindHarness): readonly string[] {
  return harness
    .takeWrites()
    .filter((write) => !write.includes(` ${type.plural} `) && !write.includes(` ${type.plural}/`));
}
