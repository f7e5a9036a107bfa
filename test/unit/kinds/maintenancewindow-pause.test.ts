import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimestamp } from '../../../src/base/clock.ts';
import type { Manifest } from '../../../src/base/object.ts';
import type { Outcome } from '../../../src/base/outcome.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { NAMESPACES } from '../../../src/kube/well-known.ts';
import { conditionsOf } from '../../../src/status/conditions.ts';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';
import { maintenanceWindow, windowBetween } from '../../support/windows.ts';

const HOUR_MS = 3_600_000;
const CONFIG = { name: 'default' };

function requeueOf(outcome: Outcome): number | undefined {
  return outcome.type === 'noop' || outcome.type === 'done' || outcome.type === 'waiting'
    ? outcome.requeueAfterMs
    : undefined;
}

/** A harness with a converged Environment. */
async function converged(): Promise<KindHarness> {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({ serviceAccounts: [{ name: 'app' }] }));
  await harness.settle();
  harness.takeWrites();
  harness.events.events.length = 0;
  return harness;
}

function openFor(harness: KindHarness, hours: number, spec: object = {}, name = 'freeze'): Manifest {
  const now = harness.clock.now();
  return windowBetween(now, now + hours * HOUR_MS, spec, name);
}

for (const kind of kinds.filter(({ pipeline }) => pipeline !== undefined)) {
  test(`M11: a pass over ${kind.type.kind} in an open window writes conditions and nothing else`, async () => {
    const harness = new KindHarness();
    for (const sample of kinds.flatMap(({ samples }) => samples))
      if (sample.kind !== 'Namespace') harness.store(sample);
    const stored = kind.samples.find((sample) => sample.kind === kind.type.kind) ?? assert.fail();
    harness.store(openFor(harness, 2));
    for (let pass = 0; pass < 3; pass++) await harness.pass(kind, keyOf(stored));
    const { plural } = kind.type;
    const name = stored.metadata.namespace === undefined ? '' : `${stored.metadata.namespace}/`;
    assert.deepEqual(harness.takeWrites(), [`patch ${plural}/status ${name}${stored.metadata.name}`]);
    const object = harness.api.peek(kind.type, keyOf(stored)) ?? assert.fail();
    const paused = conditionsOf(object).find(({ type }) => type === 'Paused');
    assert.deepEqual([paused?.status, paused?.reason], ['True', 'MaintenanceWindow']);
    const end = toTimestamp(harness.clock.now() + 2 * HOUR_MS);
    assert.equal(paused?.message, `maintenance window "freeze" is open until ${end}`);
  });
}

test('M9: an Environment that is made in an open window gets conditions and not even a finalizer', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment());
  harness.store(openFor(harness, 1));
  await harness.settle();
  assert.deepEqual(harness.takeWrites(), ['patch environments/status team-a/dev']);
  assert.equal(harness.environment?.metadata.finalizers, undefined);
  assert.deepEqual([harness.state('Ready'), harness.state('NamespaceReady')], ['Unknown/MaintenanceWindow', 'absent']);
});

test('M9: deletion runs in an open window', async () => {
  const harness = await converged();
  harness.store(openFor(harness, 1));
  harness.api.remove(kindNamed('Environment').type, { namespace: 'team-a', name: 'dev' });
  await harness.pass();
  assert.deepEqual(harness.takeWrites()[0], 'delete namespaces team-a-dev');
});

test('M10: what was healthy says that it is, that it is paused, by which window and until when', async () => {
  const harness = await converged();
  harness.store(openFor(harness, 1, { reason: 'quarter end' }));
  await harness.pass();
  const end = toTimestamp(harness.clock.now() + HOUR_MS);
  const held = `maintenance window "freeze" is open until ${end} (quarter end)`;
  assert.deepEqual([harness.state('Paused'), harness.state('Ready')], ['True/MaintenanceWindow', 'True/Paused']);
  assert.deepEqual(harness.condition('Ready')?.message, `Healthy, and held as it is: ${held}`);
  assert.equal(harness.state('ServiceAccountsApplied'), 'True/Applied');
});

test('drift waits for the end of the window, and is brought back then', async () => {
  const harness = await converged();
  harness.store(openFor(harness, 1));
  await harness.pass();
  harness.takeWrites();
  harness.editSpec(environment(), (spec) => ({ ...spec, serviceAccounts: [{ name: 'app' }, { name: 'more' }] }));
  await harness.pass();
  assert.deepEqual(harness.takeWrites(), [], 'the status stays that of the generation that was looked at');
  await harness.clock.advance(HOUR_MS);
  await harness.settle();
  assert.ok(harness.takeWrites().includes('apply serviceaccounts team-a-dev/more'));
  assert.deepEqual([harness.state('Paused'), harness.state('Ready')], ['absent', 'True/Ready']);
});

test('M6: an Event tells of the beginning and one of the end, each with the name of the window', async () => {
  const harness = await converged();
  harness.store(openFor(harness, 1));
  for (let pass = 0; pass < 3; pass++) await harness.pass();
  await harness.clock.advance(HOUR_MS);
  for (let pass = 0; pass < 3; pass++) await harness.pass();
  assert.deepEqual(harness.reasons, ['Paused', 'Resumed']);
  for (const { note } of harness.events.events) assert.match(note, /maintenance window "freeze"/);
});

test('the engine comes back exactly when a window opens and when it closes, and sends nothing in between', async () => {
  const harness = await converged();
  harness.store(
    maintenanceWindow({ recurring: { schedule: '@hourly', durationMinutes: 10 }, effects: ['PauseReconcile'] }),
  );
  const boundaries: number[] = [];
  for (let pass = 0; pass < 6; pass++) {
    const requeueAfterMs = requeueOf(await harness.settle()) ?? assert.fail('nothing would wake it');
    harness.takeWrites();
    await harness.clock.advance(requeueAfterMs - 1);
    await harness.pass();
    assert.deepEqual(harness.api.calls, [], 'a pass before the boundary asks the API server for nothing');
    await harness.clock.advance(1);
    boundaries.push(harness.clock.now());
  }
  // The harness begins at an hour, which is when the window opens.
  assert.deepEqual(
    boundaries.map((at) => (at % HOUR_MS) / 60_000),
    [10, 0, 10, 0, 10, 0],
  );
});

test('M5: one open window is enough, and the one that stays open longest is shown', async () => {
  const harness = await converged();
  harness.store(openFor(harness, 1, {}, 'short'));
  harness.store(openFor(harness, 3, {}, 'long'));
  harness.store(windowBetween(harness.clock.now() + HOUR_MS, harness.clock.now() + 9 * HOUR_MS, {}, 'later'));
  const outcome = await harness.pass();
  assert.match(harness.condition('Paused')?.message ?? '', /"long"/);
  assert.equal(requeueOf(outcome), HOUR_MS, 'the short one closes first');
});

test('M8: an object that ignores maintenance is reconciled in an open window', async () => {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  harness.store(environment({}, { annotations: { 'homeostat.io/ignore-maintenance': 'true' } }));
  harness.store(openFor(harness, 1));
  await harness.settle();
  assert.deepEqual([harness.state('Paused'), harness.state('Ready')], ['absent', 'True/Ready']);
});

/** Windows that do not concern an Environment in team-a, whose namespace has the label tier=team. */
const UNCONCERNED: readonly (readonly [what: string, spec: object])[] = [
  ['is for other kinds', { kinds: ['ClusterConfig'] }],
  ['is for other namespaces', { namespaceSelector: { matchLabels: { tier: 'lab' } } }],
  ['has another effect', { effects: ['DenyChanges'] }],
  ['is suspended', { suspend: true }],
];

for (const [what, spec] of UNCONCERNED) {
  test(`a window that ${what} pauses nothing`, async () => {
    const harness = await converged();
    harness.store(openFor(harness, 1, spec));
    await harness.pass();
    assert.equal(harness.state('Paused'), 'absent');
  });
}

test('a window with a selector concerns objects of the namespaces it selects, and no cluster-scoped object', async () => {
  const harness = await converged();
  harness.store(openFor(harness, 1, { namespaceSelector: { matchLabels: { tier: 'team' } } }));
  await harness.pass();
  await harness.pass(kindNamed('ClusterConfig'), CONFIG);
  assert.equal(harness.state('Paused'), 'True/MaintenanceWindow');
  const config = harness.api.peek(kindNamed('ClusterConfig').type, CONFIG) ?? assert.fail();
  assert.ok(!conditionsOf(config).some(({ type }) => type === 'Paused'));
  harness.api.edit(NAMESPACES, { name: 'team-a' }, (object) => ({
    ...object,
    metadata: { ...object.metadata, labels: {} },
  }));
  await harness.pass();
  assert.equal(harness.state('Paused'), 'absent');
});

test('M6: a stored window that cannot be read is closed, and nothing stops healing', async () => {
  const harness = await converged();
  const recurring = { schedule: '0 22 * *', durationMinutes: 60, timeZone: 'Etc/UTC' };
  const broken = harness.store(maintenanceWindow({ recurring, effects: ['PauseReconcile'] }));
  await harness.pass();
  assert.equal(harness.state('Paused'), 'absent');
  assert.match(kindNamed('MaintenanceWindow').maintenance?.problemOf(broken) ?? '', /five fields/);
});

test('M6: a window that an older definition let through without effects is closed, and stops nobody', async () => {
  const harness = await converged();
  const { once } = windowBetween(harness.clock.now() - HOUR_MS, harness.clock.now() + HOUR_MS)['spec'] as {
    readonly once: object;
  };
  const broken = harness.store({ ...maintenanceWindow({}), spec: { once } });
  await harness.settle();
  assert.equal(harness.state('Ready'), 'True/Ready');
  assert.equal(kindNamed('MaintenanceWindow').maintenance?.problemOf(broken), 'it has no effects');
});
