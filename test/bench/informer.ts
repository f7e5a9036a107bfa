import { readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import { OwnedProcesses, type OwnedProcess } from '../controlplane/owned-processes.ts';
import { programPath } from '../controlplane/program-path.ts';
import { adminToken } from '../controlplane/servers.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { createConfigMaps } from './config-maps.ts';
import { connectionsTo } from './connections.ts';
import { hundredths } from './hundredths.ts';
import { deployedEnvironment, podCredentials } from './pod.ts';
import { processUsage } from './process-usage.ts';

/** What filling a cache cost one subject. The loop's delays are those of Node alone. */
export interface InformerResult {
  readonly subject: string;
  readonly n: number;
  /** From the start of the informer, with its connection made, until the cache is complete. */
  readonly seconds: number;
  /** Of the whole process, its start included. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly loopP999Ms?: number;
  readonly loopMaxMs?: number;
}

/** What many watches cost. */
export interface WatchesResult {
  readonly subject: string;
  readonly watches: number;
  readonly connections: number;
  readonly residentMb: number;
}

interface Told {
  readonly seconds?: number;
  readonly synced_ms?: number;
  readonly watches?: number;
  readonly loopP999Ms?: number;
  readonly loopMaxMs?: number;
}

/** Fills a cache of `count` ConfigMaps with the peer and with this project, in that order, `rounds` times; then opens watches. */
export async function informer(
  count: number,
  rounds: number,
  report: (result: InformerResult | WatchesResult) => void,
): Promise<void> {
  const plane = await startControlPlane();
  const group = await OwnedProcesses.open('homeostat-bench');
  try {
    await createConfigMaps(plane, count);
    const peer = await programPath('peer');
    for (let round = 0; round < rounds; round++) {
      const theirs = await group.start(`peer-${round}`, peer, ['-mode', 'informer', '-metrics', '0', '-health', '0'], {
        env: { KUBECONFIG: plane.kubeconfig },
      });
      report(await measured(group, theirs, 'controller-runtime', count));
      report(await measured(group, await ours(plane, group, `ours-${round}`, 'cache'), 'homeostat', count));
    }
    report(await watches(plane, group));
  } catch (cause) {
    throw new Error(`The bench of informers failed.\n${await group.logs()}`, { cause });
  } finally {
    await group.close();
    await group.removeFolder();
    await plane.close();
  }
}

async function ours(plane: ControlPlane, group: OwnedProcesses, name: string, mode: string): Promise<OwnedProcess> {
  const program = join(group.folder, 'informer-process.mjs');
  const source = await readFile(join(import.meta.dirname, 'informer-process.ts'), 'utf8');
  await writeFile(program, stripTypeScriptTypes(source));
  const credentials = await podCredentials(plane, adminToken);
  return group.start(name, process.execPath, [program, join(projectFolder, 'dist'), mode, plane.server, credentials], {
    env: await deployedEnvironment(),
  });
}

async function measured(
  group: OwnedProcesses,
  subject: OwnedProcess,
  name: string,
  count: number,
): Promise<InformerResult> {
  const told = await figures(group, subject);
  const { cpuSeconds, peakMb } = await processUsage(subject.pid);
  await group.stop(subject);
  return {
    subject: name,
    n: count,
    seconds: hundredths(told.seconds ?? (told.synced_ms ?? 0) / 1000),
    cpuSeconds,
    peakMb,
    ...(told.loopP999Ms === undefined ? {} : { loopP999Ms: hundredths(told.loopP999Ms) }),
    ...(told.loopMaxMs === undefined ? {} : { loopMaxMs: hundredths(told.loopMaxMs) }),
  };
}

async function watches(plane: ControlPlane, group: OwnedProcesses): Promise<WatchesResult> {
  const subject = await ours(plane, group, 'watches', 'watches');
  const told = await figures(group, subject);
  const connections = await connectionsTo(subject.pid, Number(new URL(plane.server).port));
  const { residentMb } = await processUsage(subject.pid);
  await group.stop(subject);
  return { subject: 'homeostat', watches: told.watches ?? 0, connections, residentMb };
}

/** The one line of JSON with figures that a subject prints among its log lines. */
async function figures(group: OwnedProcesses, subject: OwnedProcess): Promise<Told> {
  return group.whileRunning([subject], `figures of ${subject.name}`, async () => {
    const lines = (await readFile(subject.log, 'utf8')).split('\n').slice(0, -1);
    const line = lines.find((text) => /^\{"(?:seconds|synced_ms|watches)"/.test(text));
    // Written by the bench's own programs.
    return line === undefined ? false : (JSON.parse(line) as Told);
  });
}
