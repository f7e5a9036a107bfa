import type { Outside } from '../base/outside.ts';
import { groupResourceOf } from '../base/resource.ts';
import type { Touch } from '../base/touch.ts';
import type { Kind } from '../sdk/kind.ts';
import { contentDifferences } from './comparable-content.ts';
import { unmetExpectations } from './expectation.ts';
import type { FakeClock } from './fake-clock.ts';
import { isWrite, type Request } from './intercepted-client.ts';
import { type Disturbance, describeRequest } from './kind-runner.ts';
import type { Row } from './row.ts';
import { Scene } from './scene.ts';
import { TestCluster } from './test-cluster.ts';

/** What a row is tried with. */
export interface Trial {
  readonly row: Row;
  readonly kind: Kind;
  /** All kinds the cluster serves, the one under test among them. */
  readonly kinds: readonly Kind[];
  /** Makes the cluster of each try. @defaultValue one in memory */
  readonly cluster?: (kinds: readonly Kind[]) => Promise<TestCluster>;
  /** Makes the systems outside the cluster for each try. @defaultValue none was configured */
  readonly outside?: (clock: FakeClock) => Outside;
}

/** One way of trying a row. */
export interface Permutation {
  /** A sentence about the controller that is true when nothing is found. */
  readonly name: string;
  /** What shows that the sentence is not true, each in a sentence. */
  readonly find: (trial: Trial) => Promise<readonly string[]>;
}

/** How far caches lag at most. */
const LONGEST_LAG = 3;

/** What a row stands for: its expectation, and seven sentences that hold for every row of every kind. */
export const permutations: readonly Permutation[] = [
  { name: 'comes out as expected', find: asExpected },
  { name: 'sends nothing in another pass, nor in one after a restart', find: secondPassIsSilent },
  { name: 'comes to the same wherever it is killed', find: crashesHeal },
  { name: 'comes to the same with caches that lag', find: lagsHeal },
  { name: 'leaves nothing behind wherever it is deleted', find: deletionsFinish },
  { name: 'writes a status that other tools can read', find: statusesAreSound },
  { name: 'uses no right that it does not declare', find: touchesCover },
  { name: 'promises a wake-up while it is not done', find: wakeUpPromised },
];

async function asExpected(trial: Trial): Promise<readonly string[]> {
  return withScene(trial, {}, async (scene) => unmetExpectations(trial.row.expect, scene, await scene.settle()));
}

async function secondPassIsSilent(trial: Trial): Promise<readonly string[]> {
  return withScene(trial, {}, async (scene) => {
    await scene.settle();
    const { runner, key } = scene;
    const found: string[] = [];
    for (const when of ['again', 'after a restart']) {
      runner.forget();
      if (when === 'after a restart') runner.restart();
      await runner.pass(key);
      found.push(...runner.requests.filter(isWrite).map((request) => `${describeRequest(request)} is sent ${when}`));
      if (when === 'again') found.push(...runner.events.events.map(({ reason }) => `Event ${reason} is sent again`));
    }
    return found;
  });
}

async function crashesHeal(trial: Trial): Promise<readonly string[]> {
  const straight = await life(trial, {});
  const found: string[] = [];
  for (const [index, request] of straight.requests.entries()) {
    const cut = await life(trial, { crashAfter: index + 1 });
    found.push(...differences(straight, cut).map((what) => `killed after ${describeRequest(request)}: ${what}`));
  }
  return found;
}

async function lagsHeal(trial: Trial): Promise<readonly string[]> {
  const straight = await life(trial, {});
  const found: string[] = [];
  for (let lag = 1; lag <= LONGEST_LAG; lag++) {
    const late = await life(trial, { lag });
    found.push(...differences(straight, late).map((what) => `${lag} writes late: ${what}`));
  }
  return found;
}

async function deletionsFinish(trial: Trial): Promise<readonly string[]> {
  const straight = await life(trial, {});
  const found: string[] = [];
  for (let sent = 0; sent <= straight.requests.length; sent++) {
    const request = straight.requests[sent - 1];
    const when = request === undefined ? 'deleted at once' : `deleted after ${describeRequest(request)}`;
    const deleted = await withScene(trial, { crashAfter: sent }, async (scene) => deletedAfter(scene, trial.row, sent));
    found.push(...deleted.map((what) => `${when}: ${what}`));
  }
  return found;
}

async function deletedAfter(scene: Scene, row: Row, sent: number): Promise<readonly string[]> {
  const { runner, key, cluster, kind } = scene;
  for (let before = -1; runner.requests.length < sent && runner.requests.length > before; ) {
    before = runner.requests.length;
    await runner.pass(key);
    await cluster.advance(1000);
  }
  runner.restart();
  await cluster.remove(kind.type, key);
  await scene.settle();
  const left = await scene.object();
  const remaining = await scene.children();
  const allowed = row.expect.left ?? [];
  return [
    ...(left === undefined ? [] : [`the object stays, held by ${(left.metadata.finalizers ?? []).join(', ')}`]),
    ...remaining.filter((name) => !allowed.includes(name)).map((name) => `${name} stays behind`),
  ];
}

async function statusesAreSound(trial: Trial): Promise<readonly string[]> {
  return withScene(trial, {}, async (scene) => {
    await scene.settle();
    return [...scene.runner.statusFaults];
  });
}

async function touchesCover(trial: Trial): Promise<readonly string[]> {
  return withScene(trial, {}, async (scene) => {
    await scene.settle();
    await scene.cluster.remove(trial.kind.type, scene.key);
    await scene.settle();
    const needed = scene.runner.requests.filter((request) => !isCovered(request, trial.kind.touches));
    return [
      ...new Set(needed.map(({ verb, type, subresource }) => neededRight(verb, groupResourceOf(type), subresource))),
    ];
  });
}

function neededRight(verb: string, resource: string, subresource: string | undefined): string {
  const right = verb === 'apply' ? 'create and patch' : verb;
  return `it needs ${right} on ${resource}${subresource === undefined ? '' : `/${subresource}`}; add it to the touches of the step`;
}

function isCovered({ verb, type, subresource, key }: Request, touches: readonly Touch[]): boolean {
  // Applying what may not exist yet takes both rights.
  const verbs = verb === 'apply' ? (['create', 'patch'] as const) : [verb];
  return verbs.every((needed) =>
    touches.some(
      (touch) =>
        touch.type.group === type.group &&
        touch.type.plural === type.plural &&
        touch.subresource === subresource &&
        touch.verbs.includes(needed) &&
        (touch.resourceNames === undefined || (key !== undefined && touch.resourceNames.includes(key.name))),
    ),
  );
}

async function wakeUpPromised(trial: Trial): Promise<readonly string[]> {
  return withScene(trial, {}, async (scene) => {
    const last = await scene.settle();
    if (last.type !== 'waiting' || last.requeueAfterMs !== undefined || trial.kind.watches.length > 0) return [];
    return [`it waits (${last.reason}: ${last.message}) with no watch and no requeueAfterMs, so nothing wakes it`];
  });
}

/** What a life of the row came to, and what it sent. */
interface Life {
  readonly content: Readonly<Record<string, unknown>>;
  readonly requests: readonly Request[];
}

async function life(trial: Trial, disturbance: Disturbance): Promise<Life> {
  return withScene(trial, disturbance, async (scene) => {
    await scene.settle();
    return { content: await scene.content(), requests: [...scene.runner.requests] };
  });
}

async function withScene<Result>(
  { row, kind, kinds, outside, cluster = (served) => TestCluster.create(served) }: Trial,
  disturbance: Disturbance,
  work: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  const scene = await Scene.set(row, kind, { cluster: await cluster(kinds), disturbance, outside });
  try {
    return await work(scene);
  } finally {
    scene.cluster.close();
  }
}

function differences(straight: Life, other: Life): readonly string[] {
  return contentDifferences(straight.content, other.content);
}
