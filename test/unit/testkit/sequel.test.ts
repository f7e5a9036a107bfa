import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../../src/base/resource.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { seededRandom } from '../../../src/testkit/seeded-random.ts';
import { Chance } from '../../../src/testkit/simulation/chance.ts';
import { describeReport } from '../../../src/testkit/simulation/describe-report.ts';
import { drawScenario } from '../../../src/testkit/simulation/draw-scenario.ts';
import { runScenario } from '../../../src/testkit/simulation/run-scenario.ts';
import { calmFromMs, type Plan, postponed, type Scenario } from '../../../src/testkit/simulation/scenario.ts';
import { createSetting } from '../../../src/testkit/simulation/setting.ts';
import { SpecEdits, wordsIn } from '../../../src/testkit/simulation/spec-edits.ts';
import { specSchema } from '../../../src/testkit/simulation/workload.ts';
import { World } from '../../../src/testkit/simulation/world.ts';
import { kindNamed } from '../../support/kind-harness.ts';
import { mapsStep, step, WIDGETS, widget, widgetKind } from './widget-kind.ts';

const environment = kindNamed('Environment');
const sample = environment.samples.find(({ kind }) => kind === 'Environment') ?? assert.fail('no sample');

test('a sequel begins with everything as the samples have it, and goes on when that is done', async () => {
  const setting = await createSetting(environment, kinds);
  const { sequel } = drawScenario(setting, 1);
  const applied = sequel?.acts.flatMap((act) => (act.type === 'apply' && act.atMs < 1000 ? [act.manifest.kind] : []));
  assert.deepEqual(applied, ['ClusterConfig', 'TeamConfig', 'Namespace', 'Environment', 'MaintenanceWindow']);
  assert.ok((sequel?.acts.at(-1)?.atMs ?? 0) > 6000);
});

test('in sequels every story is told, also of what the objects refer to', async () => {
  const setting = await createSetting(kindNamed('VaultApp'), kinds);
  const sequels = Array.from({ length: 200 }, (_, seed) => drawScenario(setting, seed).sequel);
  const faults = new Set(sequels.flatMap((sequel) => sequel?.faults.map(({ type }) => type)));
  const wanted = ['crash', 'lostLease', 'refused', 'rival', 'standstill', 'stopAt', 'vault'] as const;
  assert.deepEqual(faults, new Set([...faults, ...wanted]));
  const codes = sequels.flatMap((sequel) =>
    sequel?.faults.flatMap((fault) => (fault.type === 'refused' ? fault.code : [])),
  );
  assert.deepEqual(new Set(codes), new Set([422, 403]), 'also what is asked for again after minutes alone');
  const meddled = sequels.flatMap((sequel) => sequel?.acts.flatMap((act) => (act.type === 'meddle' ? act.how : [])));
  assert.deepEqual(new Set(meddled), new Set(['change', 'delete', 'unlabel', 'disown']), 'children drift');
  const late = sequels.flatMap((sequel) => sequel?.acts.filter(({ atMs }) => atMs > 6000) ?? []);
  const changed = late.flatMap((act) => (act.type === 'apply' ? [act.manifest.kind] : []));
  assert.deepEqual(new Set(changed), new Set([...changed, 'ClusterConfig', 'VaultPolicy', 'MaintenanceWindow']));
});

test('a plan can be put off, and is calm when the last Lease can be written again', () => {
  const fault = { type: 'lostLease', replica: 0, nth: 1, sinceMs: 100, forMs: 15_000 } as const;
  const plan = postponed({ acts: [{ type: 'meddle', pick: 0, how: 'disown', atMs: 50 }], faults: [fault] }, 1000);
  assert.deepEqual([plan.acts[0]?.atMs, plan.faults], [1050, [{ ...fault, sinceMs: 1100 }]]);
  assert.ok(calmFromMs(plan) > 16_100);
});

test('a spec that shrinks keeps nothing but what stood in it', () => {
  const edits = new SpecEdits(new Chance(seededRandom(1)), []);
  const before = wordsIn(sample['spec']);
  for (let nth = 0; nth < 100; nth++) {
    const after = wordsIn(edits.shrink(specSchema(environment), sample['spec']));
    assert.ok(after.every((word) => before.includes(word)));
  }
});

test('two items of a list exchange a member', () => {
  const schema = { properties: { rows: { type: 'array', items: { type: 'object' } } } } as const;
  const edits = new SpecEdits(new Chance(seededRandom(1)), []);
  const [one, other] = [
    { name: 'a', of: 'x' },
    { name: 'b', of: 'x' },
  ];
  const exchanged = edits.exchange(schema, { rows: [one, other] });
  assert.deepEqual(exchanged, {
    rows: [
      { ...one, name: 'b' },
      { ...other, name: 'a' },
    ],
  });
  assert.equal(edits.exchange(schema, { rows: [one, one] }), undefined);
});

test('a role that gives a policy which is not there is found', async () => {
  const setting = await createSetting(kindNamed('VaultApp'), kinds);
  const { vault } = new World({ ...setting, seed: 1, faults: [], skewsMs: [] });
  vault.fake.policies.set('sim.team-a.here', 'path "a" {}');
  vault.fake.roles.set('sim.team-a.app', { token_policies: ['sim.team-a.here', 'sim.team-a.gone', 'of-others'] });
  assert.deepEqual(vault.danglingRoles([]), [
    'Vault role sim.team-a.app gives Vault policy sim.team-a.gone, which is not there',
  ]);
  const app = { apiVersion: 'homeostat.io/v1alpha1', kind: 'VaultApp' };
  const held = { ...app, metadata: { namespace: 'team-a', name: 'app', uid: '1', resourceVersion: '1' } };
  assert.deepEqual(vault.danglingRoles([held]), [], 'the role of an object on hold stays as it was');
});

test('a pass in which the Lease is lost is taken up again, and told as part of the sequel', async () => {
  const setting = await createSetting(environment, kinds);
  const acts = setting.kinds
    .flatMap(({ samples }) => samples)
    .map((manifest, nth) => ({ type: 'apply', manifest, bypass: false, atMs: nth * 100 }) as const);
  const manifest = { ...sample, metadata: { ...sample.metadata, name: 'late' } };
  const about = '/environments/late/status';
  const scenario: Scenario = {
    seed: 1,
    replicas: 1,
    skewsMs: [0],
    acts,
    faults: [],
    sequel: {
      acts: [{ type: 'apply', manifest, bypass: false, atMs: 0 }],
      faults: [{ type: 'lostLease', replica: 0, nth: 1, about, forMs: 15_000 }],
    },
  };
  const report = await runScenario(setting, scenario, true);
  assert.deepEqual(report.findings, []);
  const story = describeReport('Environment', report);
  assert.ok(story.includes('When all was as it should be, counted from then:'));
  const patches = report.trace.filter((line) => line.includes('patch environments/status team-a/late'));
  assert.match(patches[0] ?? '', /does not arrive/);
  assert.ok(patches.length > 2, patches.join('\n'));
});

test('what goes wrong in the sequel does not excuse a write of nothing before it', async () => {
  let isFirst = true;
  const idle = step(async ({ api, object, signal }) => {
    const body = { metadata: { labels: object.metadata.labels ?? {} } };
    if (isFirst) await api.client.patch(WIDGETS, keyOf(object), { type: 'merge', body }, { signal });
    isFirst = false;
    return { type: 'noop', value: {} };
  });
  const kind = widgetKind(mapsStep, idle);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
  const acts = [namespace, widget].map((manifest, nth) => {
    return { type: 'apply', manifest, bypass: false, atMs: 4000 + nth * 100 } as const;
  });
  const changed = { ...widget, spec: { ...widget.spec, text: 'bye' } };
  const sequel: Plan = {
    acts: [{ type: 'apply', manifest: changed, bypass: false, atMs: 0 }],
    faults: [1, 2].map((nth) => ({ type: 'lostAnswer', replica: 0, nth }) as const),
  };
  const scenario: Scenario = { seed: 1, replicas: 1, skewsMs: [0], acts, faults: [], sequel };
  const { findings } = await runScenario(await createSetting(kind, [kind]), scenario);
  assert.deepEqual(
    findings.map(({ oracle, message }) => `${oracle}: ${message}`),
    ['faults cost few writes: 1 writes of nothing, where faults explain 0'],
  );
});
