import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectFolder } from '../architecture/project.ts';
import { writeVerbs } from '../controlplane/audit-log.ts';
import { OwnedProcesses, type OwnedProcess } from '../controlplane/owned-processes.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { hundredths } from './hundredths.ts';
import { type LoopDelay, meterLoopDelay } from './loop-delay.ts';
import { processUsage } from './process-usage.ts';
import type { Command, Subject } from './subjects.ts';
import { benchNamespace, countReady, createEnvironments } from './workload.ts';

/** What is measured of one subject. */
export interface ConvergeResult {
  readonly subject: string;
  readonly n: number;
  /** Environments that were Ready at the end of the first phase. */
  readonly ready: number;
  /** From the operator's start until all were Ready, and what that took of it. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly residentMb: number;
  /** Of the event loop, from the service's readiness until all were Ready. The peer has none. */
  readonly loop?: LoopDelay;
  /** The operator's own writes, Events and Leases apart. */
  readonly writesPerObject: number;
  readonly eventsPerObject: number;
  readonly writesByResource: Readonly<Record<string, number>>;
  /** Idle, with everything converged. */
  readonly restWrites: number;
  readonly restCpuSeconds: number;
  readonly restResidentMb: number;
  /** After a restart on converged objects. */
  readonly restartWrites: number;
  readonly restartCpuSeconds: number;
}

/** How much is measured. */
export interface ConvergeOptions {
  readonly count: number;
  /** Length of the idle phase and of the look at the restarted operator. */
  readonly restSeconds: number;
}

/** An operator that was started. */
interface Started {
  readonly command: Command;
  readonly process: OwnedProcess;
}

const convergeLimitMs = 900_000;
const settleMs = 3_000;

/**
 * Converges `count` Environments with one operator on a control plane of its own: the objects exist, the operator starts, all
 * become Ready; then it idles; then it is restarted.
 */
export async function converge(subject: Subject, options: ConvergeOptions): Promise<ConvergeResult> {
  const plane = await startControlPlane();
  const group = await OwnedProcesses.open('homeostat-bench');
  try {
    await prepare(plane, subject, options.count);
    return await measure({ plane, group, subject, ...options });
  } catch (cause) {
    throw new Error(`The bench of ${subject.name} failed.\n${await group.logs()}`, { cause });
  } finally {
    await group.close();
    await group.removeFolder();
    await plane.close();
  }
}

async function prepare(plane: ControlPlane, subject: Subject, count: number): Promise<void> {
  await plane.kubectl(['apply', '--server-side', '-k', join(projectFolder, 'manifests', 'crd')]);
  await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
  await plane.kubectl(['create', 'namespace', benchNamespace]);
  await subject.install(plane);
  await createEnvironments(plane, count);
}

/** One measurement under way. */
interface Measurement extends ConvergeOptions {
  readonly plane: ControlPlane;
  readonly group: OwnedProcesses;
  readonly subject: Subject;
}

async function measure(measurement: Measurement): Promise<ConvergeResult> {
  const { subject, group, count, restSeconds } = measurement;
  const started = performance.now();
  const { process: first, command } = await start(measurement);
  const meter = await meterLoopDelay(command);
  const ready = await untilReady(measurement, first);
  const seconds = (performance.now() - started) / 1000;
  const loop = await meter.read();
  const used = await processUsage(first.pid);
  await delay(settleMs);
  const writes = await ownWrites(measurement);

  const beforeRest = await processUsage(first.pid);
  await delay(restSeconds * 1000);
  const afterRest = await processUsage(first.pid);
  const rested = await ownWrites(measurement);

  await group.stop(first, 60_000);
  const { process: second } = await start(measurement);
  await delay(restSeconds * 1000);
  const restarted = await processUsage(second.pid);
  const writesAtEnd = await ownWrites(measurement);
  await group.stop(second, 60_000);
  return {
    subject: subject.name,
    n: count,
    ready,
    seconds: hundredths(seconds),
    cpuSeconds: hundredths(used.cpuSeconds),
    residentMb: used.residentMb,
    ...(loop === undefined ? {} : { loop }),
    writesPerObject: hundredths(writes.total / count),
    eventsPerObject: hundredths(writes.events / count),
    writesByResource: writes.byResource,
    restWrites: rested.total - writes.total,
    restCpuSeconds: hundredths(afterRest.cpuSeconds - beforeRest.cpuSeconds),
    restResidentMb: afterRest.residentMb,
    restartWrites: writesAtEnd.total - rested.total,
    restartCpuSeconds: hundredths(restarted.cpuSeconds),
  };
}

async function start({ plane, group, subject }: Measurement): Promise<Started> {
  const command = await subject.command(plane);
  const { program, args, env } = command;
  return { command, process: await group.start(subject.name, program, args, { env }) };
}

async function untilReady({ plane, count }: Measurement, operator: OwnedProcess): Promise<number> {
  const end = performance.now() + convergeLimitMs;
  for (;;) {
    if (!operator.isRunning()) throw new Error(`${operator.name} ended before all Environments were Ready.`);
    const ready = await countReady(plane);
    if (ready >= count || performance.now() > end) return ready;
    await delay(500);
  }
}

/** Writes of one user so far. */
interface OwnWrites {
  readonly total: number;
  readonly events: number;
  readonly byResource: Readonly<Record<string, number>>;
}

async function ownWrites({ plane, subject }: Measurement): Promise<OwnWrites> {
  const user = `system:serviceaccount:${benchNamespace}:${subject.account}`;
  const entries = await plane.auditEntries({ user, verbs: writeVerbs });
  const byResource: Record<string, number> = {};
  let events = 0;
  for (const { verb, objectRef } of entries) {
    const resource = [objectRef?.resource ?? '', objectRef?.subresource ?? ''].filter((part) => part !== '').join('/');
    if (resource === 'events') events++;
    else if (resource !== 'leases') byResource[`${verb} ${resource}`] = (byResource[`${verb} ${resource}`] ?? 0) + 1;
  }
  return { total: Object.values(byResource).reduce((sum, value) => sum + value, 0), events, byResource };
}
