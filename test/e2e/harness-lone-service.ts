import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemRandom } from '../../src/app/system-ports.ts';
import { type IssuedPair, issueAuthority, issueServing } from '../../src/certs/issue.ts';
import { projectFolder } from '../architecture/project.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import type { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { eventually } from '../support/eventually.ts';
import { Replica, serviceEntry } from './harness-replica.ts';

/** Namespace of the generated manifests. */
export const NAMESPACE = 'homeostat-system';

/** The name that the API server verifies. */
export const WEBHOOK_NAME = `homeostat-webhook.${NAMESPACE}.svc`;

/** What a command that ended has left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `homeostat ARGS` in a folder to its end, without any cluster in its environment. */
export async function homeostat(args: readonly string[], folder: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [serviceEntry(projectFolder), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** What a lone service is started with. */
export interface LoneServiceOptions {
  readonly name: string;
  readonly kubeconfig: string;
  readonly certificates: string;
}

/** Starts one service on free ports and waits until it answers probes, ready or not. */
export async function startLoneService(group: OwnedProcesses, options: LoneServiceOptions): Promise<Replica> {
  const { name, kubeconfig, certificates } = options;
  const [webhookPort = 0, healthPort = 0, metricsPort = 0] = await freePorts(3);
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--cert-dir=${certificates}`,
    '--webhook-host=127.0.0.1',
    `--webhook-port=${webhookPort}`,
    '--health-host=127.0.0.1',
    `--health-port=${healthPort}`,
    `--metrics-port=${metricsPort}`,
    '--no-metrics-secure',
    '--shutdown-delay=0s',
  ];
  const replica = await Replica.start(group, {
    name,
    args: [serviceEntry(projectFolder), 'run', ...flags],
    env: { PATH: process.env['PATH'], POD_NAME: name, POD_NAMESPACE: NAMESPACE },
    webhookPort,
    healthPort,
    metricsPort,
  });
  await eventually(`${name} to answer probes`, async () => (await replica.get('/livez')).code === 200);
  return replica;
}

/** Waits until the verbose readiness page has a line that matches. */
export async function readinessSays(replica: Replica, wanted: RegExp, timeoutMs = 60_000): Promise<void> {
  let page = '';
  await eventually(
    `a readiness page that says ${wanted}`,
    async () => {
      page = (await replica.get('/readyz?verbose')).text;
      return page.split('\n').some((line) => wanted.test(line));
    },
    { timeoutMs, details: () => page },
  );
}

/** A serving certificate for `names`, issued `ageMs` ago for `validForMs`, by an authority of its own. */
export async function servingPair(
  names: readonly string[] = [WEBHOOK_NAME],
  { ageMs = 0, validForMs = 86_400_000 }: { readonly ageMs?: number; readonly validForMs?: number } = {},
): Promise<IssuedPair & { readonly authority: string }> {
  const options = { random: systemRandom, now: Date.now() - ageMs, validForMs };
  const authority = await issueAuthority('a test', options);
  return { ...(await issueServing(authority, names, options)), authority: authority.certificate };
}

/** Puts files into a folder, in place of all that was there. */
export async function fill(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const old of await readdir(folder)) if (!(old in files)) await rm(join(folder, old));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/** Waits until a service has logged `count` warnings that match. */
export async function warns(replica: Replica, wanted: RegExp, count = 1): Promise<void> {
  await eventually(`${count} warnings that say ${wanted}`, async () => {
    const warnings = (await replica.logRecords()).filter(({ level }) => level === 'warn');
    return warnings.filter((record) => wanted.test(JSON.stringify(record))).length >= count;
  });
}
