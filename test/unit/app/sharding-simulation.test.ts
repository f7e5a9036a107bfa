import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardNameOf } from '../../../src/app/shard-status.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { databaseBackupKind } from '../../../src/kinds/databasebackup/index.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { STAGE_LABEL } from '../../../src/runtime/shard.ts';
import { conditionsOf } from '../../../src/status/conditions.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { SHARD_KINDS, ShardWorld, type WorldInstance } from '../../support/shard-world.ts';

/** How many seeds, and the first of them: `SHARD_SEEDS=200`, `SHARD_SEED=17`. */
const SEEDS = Number(process.env['SHARD_SEEDS'] ?? 4);
const FIRST = Number(process.env['SHARD_SEED'] ?? 1);
const STEPS = 40;
const STAGES = ['dev', 'int', 'prod'] as const;
const NAMES = ['a', 'b', 'c'] as const;

/** What runs before, during and after a move to shards; in between all of them may be there at once. */
const DECLARATIONS = [
  'everything',
  'everything',
  '--stage-not=dev,int',
  '--stage-not=dev,int',
  '--stage=dev',
  '--stage=dev',
  '--stage=int',
  '--shard=1/2',
  '--shard=2/2',
] as const;

const key = (name: string) => ({ namespace: 'team-a', name });

function environment(name: string, stage: string): Manifest {
  return {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'Environment',
    metadata: { ...key(name), labels: { [STAGE_LABEL]: stage } },
    spec: { stage, resourceQuotas: [{ name: 'compute', hard: { pods: '20' } }] },
  };
}

async function prepare(seed: number): Promise<ShardWorld> {
  const world = await ShardWorld.create(seed);
  for (const sample of SHARD_KINDS.flatMap(({ samples }) => samples)) {
    if (sample.kind === 'ClusterConfig' || sample.kind === 'TeamConfig') await world.cluster.put(sample);
  }
  for (const name of ['team-a', 'homeostat-system']) {
    await world.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { tier: 'team' } } });
  }
  for (const [index, name] of NAMES.entries()) await world.cluster.put(environment(name, STAGES[index] ?? 'dev'));
  return world;
}

/** One thing that somebody does or that goes wrong. */
async function step(world: ShardWorld, instances: (WorldInstance | undefined)[], random: () => number): Promise<void> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] ?? assert.fail();
  const slot = Math.floor(random() * DECLARATIONS.length);
  const instance = instances[slot];
  const chance = random();
  if (chance < 0.35) {
    const stage = pick(STAGES);
    await world.cluster.patch(environmentKind.type, key(pick(NAMES)), {
      metadata: { labels: { [STAGE_LABEL]: stage } },
      spec: { stage, resourceQuotas: [{ name: 'compute', hard: { pods: String(Math.floor(random() * 90) + 1) } }] },
    });
  } else if (chance < 0.4) {
    // As somebody does while the hooks are away.
    await world.cluster.patch(environmentKind.type, key(pick(NAMES)), {
      metadata: { labels: { [STAGE_LABEL]: null } },
    });
  } else if (instance?.alive !== true) instances[slot] = world.start(DECLARATIONS[slot] ?? 'everything');
  else if (chance < 0.6) void instance.stop();
  else if (chance < 0.75) instance.crash();
  else instance.cutOff(2000 + random() * 25_000);
}

/** Lets only these run, and time pass until everything has come to rest. */
async function leave(world: ShardWorld, instances: (WorldInstance | undefined)[], wanted: readonly string[]) {
  for (const instance of instances) void instance?.stop();
  await world.cluster.advance(40_000);
  instances.length = 0;
  for (const declaration of wanted) instances.push(world.start(declaration));
  await world.cluster.advance(90_000);
}

function orphans(world: ShardWorld): readonly string[] {
  return NAMES.flatMap((name) => {
    const object = world.stored('environments.homeostat.io', `team-a/${name}`);
    const ready = object === undefined ? undefined : conditionsOf(object).find(({ type }) => type === 'Ready');
    const isCurrent = ready?.status === 'True' && ready.observedGeneration === object?.metadata.generation;
    return isCurrent ? [] : [`${name} ${object === undefined ? '' : shardNameOf(object)}: ${JSON.stringify(ready)}`];
  });
}

for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
  test(`joins, leaves, crashes, cuts and stage edits of seed ${seed} give no object two owners, and orphan none`, async () => {
    const random = seededRandom(seed * 104_729);
    const world = await prepare(seed);
    const instances: (WorldInstance | undefined)[] = [world.start('everything')];
    await world.cluster.advance(5000);
    for (let index = 0; index < STEPS; index++) {
      await step(world, instances, () => random.next());
      await world.cluster.advance(200 + random.next() * 6000);
    }
    await leave(world, instances, ['--stage-not=dev,int', '--stage=dev', '--stage=int']);
    assert.deepEqual(orphans(world), [], 'sharded');
    await leave(world, instances, ['everything', 'everything']);
    assert.deepEqual(orphans(world), [], 'unsharded again');
    await leave(world, instances, []);
    assert.deepEqual(world.violations, []);
    assert.ok(world.judged > 40, String(world.judged));
    world.cluster.close();
  });
}

test('an object of a kind without a label follows the stage of its namespace', async () => {
  const world = await prepare(99);
  const sample = databaseBackupKind.samples.find(({ kind }) => kind === 'DatabaseBackup') ?? assert.fail();
  const instances: (WorldInstance | undefined)[] = [];
  await leave(world, instances, ['--stage-not=dev,int', '--stage=dev', '--stage=int']);
  await world.cluster.put({ ...sample, metadata: { ...sample.metadata, name: 'db', namespace: 'team-a-a' } });
  await world.cluster.advance(20_000);
  const shard = (): string => shardNameOf(world.stored('databasebackups.homeostat.io', 'team-a-a/db') ?? assert.fail());
  assert.equal(shard(), 'stage-dev');
  await world.cluster.patch(environmentKind.type, key('a'), {
    metadata: { labels: { [STAGE_LABEL]: 'int' } },
    spec: { stage: 'int' },
  });
  await world.cluster.advance(20_000);
  assert.equal(shard(), 'stage-int');
  await leave(world, instances, []);
  assert.deepEqual(world.violations, []);
  world.cluster.close();
});

test('an object without a label is the common instance’s, which puts the label on and hands it over', async () => {
  const world = await prepare(98);
  const instances: (WorldInstance | undefined)[] = [];
  await leave(world, instances, ['--stage-not=dev,int', '--stage=dev', '--stage=int']);
  const { labels: _labels, ...metadata } = environment('bare', 'dev').metadata;
  await world.cluster.put({ ...environment('bare', 'dev'), metadata });
  await world.cluster.advance(20_000);
  const bare = world.stored('environments.homeostat.io', 'team-a/bare') ?? assert.fail();
  assert.equal(bare.metadata.labels?.[STAGE_LABEL], 'dev');
  assert.equal(shardNameOf(bare), 'stage-dev');
  await leave(world, instances, []);
  assert.deepEqual(world.violations, []);
  world.cluster.close();
});
