import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { answeredAfterMs } from './answers-in-time.ts';
import { hundredths } from './hundredths.ts';
import { isWriteOf, listQuotas, type OperateScene, SETTLE_LIMIT_MS, startConverged } from './operate-scene.ts';
import { type ProcessUsage, processUsage } from './process-usage.ts';
import { type Quantiles, quantiles } from './quantiles.ts';
import { benchNamespace, environmentName } from './workload.ts';

/** One child, so that thousands exist soon. */
export const SMALL_SPEC = specWith('10');

const CHANGED_PODS = '11';

function specWith(pods: string): { readonly resourceQuotas: readonly object[] } {
  return { resourceQuotas: [{ name: 'compute', hard: { pods } }] };
}

/** How much is changed. */
export interface ReactionOptions {
  /** Environments that exist. */
  readonly count: number;
  /** Changes a second, and for how long. */
  readonly rate: number;
  readonly seconds: number;
}

/** From the arrival of a change of an Environment to that of the write of its child, in milliseconds, and what that took. */
export interface Reaction extends Quantiles {
  readonly subject: string;
  readonly case: 'react';
  readonly objects: number;
  readonly changes: number;
  readonly rate: number;
  /** What was reached of it: this program shares the machine with the control plane. */
  readonly sentPerSecond: number;
  readonly cpuMsPerChange: number;
  readonly cpuCores: number;
  /** Of the API server, which every change passes three times or more: near what the machine has, it is what is waited for. */
  readonly apiServerCpuMsPerChange: number;
  readonly apiServerCores: number;
  readonly residentMb: number;
}

/** Changes Environments at a constant rate, none of them twice. */
export async function reaction(scene: OperateScene, { count, rate, seconds }: ReactionOptions): Promise<Reaction> {
  const { plane, subject, user } = scene;
  const operator = await startConverged(scene, count);
  const changes = Math.min(count, rate * seconds);
  const before = await used(plane, operator.pid);
  const started = performance.now();
  await changeEach(plane, changes, rate);
  const sentSeconds = (performance.now() - started) / 1000;
  await eventually(
    'every change to be carried out',
    async () => (await listQuotas(plane)).filter(({ pods }) => pods === CHANGED_PODS).length >= changes,
    {
      timeoutMs: SETTLE_LIMIT_MS,
      intervalMs: 1000,
    },
  );
  const wallSeconds = (performance.now() - started) / 1000;
  const after = await used(plane, operator.pid);
  const delays = answeredAfterMs(await plane.auditEntries({ resources: ['environments', 'resourcequotas'] }), {
    asks: ({ verb, user: by, objectRef }) =>
      verb === 'patch' && by.username !== user && objectRef?.resource === 'environments',
    answers: (entry) => entry.objectRef?.resource === 'resourcequotas' && isWriteOf(user)(entry),
    // The child's namespace is that of the Environment with the Environment's name behind it.
    subject: ({ objectRef }) =>
      objectRef?.resource === 'environments'
        ? `${objectRef.namespace}-${objectRef.name}`
        : (objectRef?.namespace ?? ''),
  });
  const cpuSeconds = after.operator.cpuSeconds - before.operator.cpuSeconds;
  const serverSeconds = after.server.cpuSeconds - before.server.cpuSeconds;
  return {
    subject: subject.name,
    case: 'react',
    objects: count,
    changes,
    rate,
    sentPerSecond: Math.round(changes / sentSeconds),
    ...quantiles(delays),
    cpuMsPerChange: hundredths((1000 * cpuSeconds) / changes),
    cpuCores: hundredths(cpuSeconds / wallSeconds),
    apiServerCpuMsPerChange: hundredths((1000 * serverSeconds) / changes),
    apiServerCores: hundredths(serverSeconds / wallSeconds),
    residentMb: after.operator.residentMb,
  };
}

async function used(
  plane: ControlPlane,
  pid: number,
): Promise<{ readonly operator: ProcessUsage; readonly server: ProcessUsage }> {
  return { operator: await processUsage(pid), server: await processUsage(plane.apiServerPid()) };
}

/** Changes one Environment after the other at a constant rate, whether or not the earlier ones have been answered. */
async function changeEach(plane: ControlPlane, changes: number, rate: number): Promise<void> {
  const started = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < changes; index++) {
    const waitMs = started + (1000 * index) / rate - performance.now();
    if (waitMs > 0) await delay(waitMs);
    sent.push(change(plane, index));
  }
  await Promise.all(sent);
}

async function change(plane: ControlPlane, index: number): Promise<void> {
  const name = environmentName(index);
  const path = `/apis/homeostat.io/v1alpha1/namespaces/${benchNamespace}/environments/${name}`;
  const patch = { spec: specWith(CHANGED_PODS) };
  const { code, body } = await plane.request('PATCH', path, patch, 'application/merge-patch+json');
  if (code !== 200) throw new Error(`Environment ${name} was not changed: ${JSON.stringify(body)}`);
}
