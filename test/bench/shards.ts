import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEntry } from '../controlplane/audit-log.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { answeredAfterMs, receivedMs } from './answers-in-time.ts';
import { hundredths } from './hundredths.ts';
import { isWriteOf, listQuotas, onScene, type OperateScene } from './operate-scene.ts';
import { type Quantiles, quantiles } from './quantiles.ts';
import { startSlowWebhook } from './slow-webhook.ts';
import { certificates, type Subject } from './subjects.ts';
import { benchNamespace, countReady, environmentName } from './workload.ts';

/** How much is changed. */
export interface ShardsOptions {
  /** Environments of each of the two stages. */
  readonly count: number;
  /** Changes a second in the stage with the storm. */
  readonly rate: number;
  /** How long each of the three windows is. */
  readonly seconds: number;
}

/** From the arrival of a change in the calm stage to that of the write it causes, by what the other stage has meanwhile. */
export interface Storm {
  readonly subject: string;
  readonly case: 'shards';
  readonly instances: readonly string[];
  /** Nothing. */
  readonly alone: Quantiles;
  /** Changes that are answered at once: what they take of the machine and of the API server, which all share. */
  readonly busy: Quantiles;
  /** The same changes, but each write they cause has to wait, so that they pile up. */
  readonly storm: Quantiles;
  /** Of the p99 in the storm and the busy one: what the pile alone costs others. */
  readonly ratio: number;
}

/** Stage by the place of an Environment: the storm is in the even ones. */
const STAGES = ['dev', 'int'] as const;

/** Changes a second in the stage that is measured. */
const STEADY_RATE = 10;

/**
 * How long each write of a quota takes in the stage with the storm: somebody else's slow webhook. It piles up what is to be done while the machine
 * and the API server, which all instances share, have little to do; many changes alone would fill those first.
 */
const SLOW_MS = 2000;

const LIMIT_MS = 300_000;

const FLAGS = { sharded: ['--stage-not=dev,int', '--stage=dev', '--stage=int'], unsharded: [''] } as const;

/** Measures one service for everything, then a common instance and two of stages, under the same load. */
export async function shards(
  subject: Subject,
  options: ShardsOptions,
  report: (result: object) => void,
): Promise<void> {
  for (const instances of [FLAGS.unsharded, FLAGS.sharded]) {
    await onScene(subject, { count: options.count * STAGES.length, spec: specWith(1) }, async (scene) =>
      report(await storm(scene, instances, options)),
    );
  }
}

async function storm(
  scene: OperateScene,
  instances: readonly string[],
  { count, rate, seconds }: ShardsOptions,
): Promise<Storm> {
  const { plane, group, subject, user } = scene;
  for (let index = 0; index < count * STAGES.length; index++) await change(plane, index, stageOf(index), 1);
  for (const [index, flag] of instances.entries()) {
    const { program, args, env } = await subject.command(plane);
    const own = ['--leader-elect', `--name=i${index}`, ...(flag === '' ? [] : [flag])];
    await group.start(`${subject.name}-i${index}`, program, [...args, ...own], { env });
  }
  const wanted = count * STAGES.length;
  await eventually('all Environments to be Ready', async () => (await countReady(plane)) >= wanted, {
    timeoutMs: LIMIT_MS,
    intervalMs: 1000,
  });
  const load = { count, seconds };
  const aloneMs = Date.now();
  await changeSteadily(plane, { ...load, rates: [0, STEADY_RATE], pods: 2 });
  await settled(plane);
  const busyMs = Date.now();
  await changeSteadily(plane, { ...load, rates: [rate, STEADY_RATE], pods: 100 });
  await settled(plane);
  const slow = await startSlowWebhook({
    plane,
    certificates: await certificates(join(plane.folder, 'slow')),
    matchLabels: { 'homeostat.io/stage': stageOf(0) },
    delayMs: SLOW_MS,
  });
  const stormMs = Date.now();
  await changeSteadily(plane, { ...load, rates: [rate, STEADY_RATE], pods: 200 });
  await slow.close();
  await settled(plane);
  const entries = await plane.auditEntries({ resources: ['environments', 'resourcequotas'] });
  const within = (fromMs: number, toMs: number): Quantiles =>
    reaction(
      entries.filter((entry) => receivedMs(entry) >= fromMs && receivedMs(entry) < toMs),
      user,
    );
  const alone = within(aloneMs, busyMs);
  const busy = within(busyMs, stormMs);
  const stormy = within(stormMs, Number.POSITIVE_INFINITY);
  return {
    subject: subject.name,
    case: 'shards',
    instances,
    alone,
    busy,
    storm: stormy,
    ratio: hundredths(stormy.p99 / busy.p99),
  };
}

/** From a person's change in the calm stage to the write of its quota. */
function reaction(entries: readonly AuditEntry[], user: string): Quantiles {
  return quantiles(
    answeredAfterMs(entries, {
      asks: ({ verb, user: by, objectRef }) =>
        verb === 'patch' && by.username !== user && objectRef?.resource === 'environments' && isCalm(objectRef.name),
      answers: (entry) => entry.objectRef?.resource === 'resourcequotas' && isWriteOf(user)(entry),
      subject: ({ objectRef }) =>
        objectRef?.resource === 'environments'
          ? `${objectRef.namespace}-${objectRef.name}`
          : (objectRef?.namespace ?? ''),
    }),
  );
}

function stageOf(index: number): string {
  return STAGES[index % STAGES.length] ?? 'dev';
}

function isCalm(name = ''): boolean {
  return Number(name.slice(1)) % STAGES.length === 1;
}

function specWith(pods: number): object {
  return { resourceQuotas: [{ name: 'compute', hard: { pods: String(pods) } }] };
}

/** Changes Environments of both stages, each at its own rate, whether or not earlier changes have been answered. */
async function changeSteadily(
  plane: ControlPlane,
  load: { readonly count: number; readonly seconds: number; readonly rates: readonly number[]; readonly pods: number },
): Promise<void> {
  const started = performance.now();
  await Promise.all(
    load.rates.map(async (rate, stage) => {
      const sent: Promise<void>[] = [];
      for (let nth = 0; nth < rate * load.seconds; nth++) {
        const waitMs = started + (1000 * nth) / rate - performance.now();
        if (waitMs > 0) await delay(waitMs);
        const index = (nth % load.count) * STAGES.length + stage;
        sent.push(change(plane, index, undefined, load.pods + Math.floor(nth / load.count)));
      }
      await Promise.all(sent);
    }),
  );
}

async function change(plane: ControlPlane, index: number, stage: string | undefined, pods: number): Promise<void> {
  const path = `/apis/homeostat.io/v1alpha1/namespaces/${benchNamespace}/environments/${environmentName(index)}`;
  // No webhooks are registered here, so the label is set as admission would.
  const labels = stage === undefined ? {} : { metadata: { labels: { 'homeostat.io/stage': stage } } };
  const patch = { ...labels, spec: { ...(stage === undefined ? {} : { stage }), ...specWith(pods) } };
  const { code, body } = await plane.request('PATCH', path, patch, 'application/merge-patch+json');
  if (code !== 200) throw new Error(`Environment ${index} was not changed: ${JSON.stringify(body)}`);
}

/** Waits until nothing changes any more. */
async function settled(plane: ControlPlane): Promise<void> {
  let last = '';
  const same = async (): Promise<boolean> => {
    const before = last;
    last = JSON.stringify(await listQuotas(plane));
    return last === before;
  };
  await eventually('everything to come to rest', same, { timeoutMs: LIMIT_MS, intervalMs: 3000 });
}
