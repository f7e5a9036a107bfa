import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { startControlPlane } from '../controlplane/start.ts';
import { type AdmissionResult, type AdmissionRun, measure, reviewOf, startSubject } from './admission-run.ts';
import { whileConverging, whileSyncing } from './interference.ts';
import { sendLoad } from './load.ts';
import { ours, type Subject } from './subjects.ts';
import { benchNamespace } from './workload.ts';

/** How much is measured. */
export interface AdmissionOptions {
  /** Length of each measurement. */
  readonly seconds: number;
  /** Environments that converge during one measurement; 0 leaves it out. */
  readonly converging: number;
  /** TeamConfigs that our service reads into its cache during another; 0 leaves it out. */
  readonly syncing: number;
  /** Whether the webhook is measured without anything beside it. */
  readonly alone: boolean;
}

const RATES = [50, 500, 2000];
const BODIES_KB = [2, 20];
const LARGE_KB = 200;
const LARGE_RATES = [50, 100, 200, 400, 800];
/** What runs for weeks is measured warm: the compilers of Node are done after some ten thousand reviews. */
const WARM_UP = { rate: 500, seconds: 20 };
/** A rate is sustained while as many answers leave as requests arrive. */
const SUSTAINED = 0.97;

/** Measures one subject's validating webhook on a control plane of its own: alone, then with work beside it. */
export async function admission(
  subject: Subject,
  { seconds, converging, syncing, alone }: AdmissionOptions,
  report: (result: AdmissionResult) => void,
): Promise<void> {
  const plane = await startControlPlane();
  const group = await OwnedProcesses.open('homeostat-bench');
  const run: AdmissionRun = { plane, group, subject, seconds, report };
  try {
    await plane.kubectl(['apply', '--server-side', '-k', join(projectFolder, 'manifests', 'crd')]);
    await plane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
    await plane.kubectl(['create', 'namespace', benchNamespace]);
    await subject.install(plane);
    if (alone) await measureAlone(run);
    if (converging > 0) await whileConverging(run, converging);
    // The peer keeps no TeamConfigs.
    if (syncing > 0 && subject === ours) await whileSyncing(run, syncing);
  } catch (cause) {
    throw new Error(`The bench of ${subject.name} failed.\n${await group.logs()}`, { cause });
  } finally {
    await group.close();
    await group.removeFolder();
    await plane.close();
  }
}

async function measureAlone(run: AdmissionRun): Promise<void> {
  const { subject, seconds, report } = run;
  const running = await startSubject(run, subject.webhookOnly);
  await sendLoad({ url: running.url, body: reviewOf(2), ...WARM_UP });
  for (const bodyKb of BODIES_KB) {
    for (const rate of RATES) report(await measure(running, subject, { case: 'alone', rate, bodyKb, seconds }));
  }
  let sustained: AdmissionResult | undefined;
  for (const rate of LARGE_RATES) {
    const result = await measure(running, subject, { case: 'highest rate', rate, bodyKb: LARGE_KB, seconds });
    if (result.throughput < rate * SUSTAINED || result.success < 1) break;
    sustained = result;
  }
  if (sustained !== undefined) report(sustained);
  await run.group.stop(running.process, 60_000);
}
