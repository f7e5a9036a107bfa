import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from '../architecture/project.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { type AdmissionResult, type AdmissionRun, measure, reviewOf, startSubject } from './admission-run.ts';
import { sendLoad } from './load.ts';
import { ours } from './subjects.ts';
import { benchNamespace, createEnvironments } from './workload.ts';

const RATE = 200;
const WARM_UP_SECONDS = 20;

/** A service that is refused a resource tries again within a minute. */
const MAX_WINDOWS = 10;
/** Not much longer than the reading takes, so that quiet time does not dilute it. */
const WINDOW_SECONDS = 10;
const WRITERS = 12;

/** What a service that is refused a resource says when it follows it at last. */
const FOLLOWS = /"resource":"teamconfigs\.homeostat\.io".*Following the resource again/;

/** Reviews at a constant rate while `count` Environments are created and converge. */
export async function whileConverging(run: AdmissionRun, count: number): Promise<void> {
  const running = await startSubject(run, []);
  await sendLoad({ url: running.url, body: reviewOf(2), rate: RATE, seconds: WARM_UP_SECONDS });
  const created = createEnvironments(run.plane, count);
  run.report(await measureAt(run, running, `${count} converge`));
  await created;
  await run.group.stop(running.process, 60_000);
}

/**
 * Reviews at a constant rate while a warm service reads `count` TeamConfigs into its cache: it is refused the resource until then, and
 * tries again within a minute. Reports the worse of the last two windows, since the reading may have begun in the one before.
 * Rejects when the cache is not complete after {@link MAX_WINDOWS}.
 */
export async function whileSyncing(run: AdmissionRun, count: number): Promise<void> {
  const { plane, group } = run;
  await createTeamConfigs(plane, count);
  await withoutTeamConfigs(plane);
  const running = await startSubject(run, []);
  await sendLoad({ url: running.url, body: reviewOf(2), rate: RATE, seconds: WARM_UP_SECONDS });
  await ours.install(plane);
  const windows: AdmissionResult[] = [];
  const complete = async (): Promise<boolean> => FOLLOWS.test(await readFile(running.process.log, 'utf8'));
  while (!(await complete())) {
    if (windows.length === MAX_WINDOWS) throw new Error(`The cache was not complete after ${MAX_WINDOWS} windows.`);
    windows.push(await measureAt({ ...run, seconds: WINDOW_SECONDS }, running, `${count} sync`));
  }
  const [worst] = windows.slice(-2).toSorted((left, right) => right.p99 - left.p99);
  if (worst !== undefined) run.report(worst);
  await group.stop(running.process, 60_000);
}

async function measureAt(
  { subject, seconds }: AdmissionRun,
  running: Awaited<ReturnType<typeof startSubject>>,
  what: string,
): Promise<AdmissionResult> {
  return measure(running, subject, { case: what, rate: RATE, bodyKb: 2, seconds });
}

async function createTeamConfigs(plane: ControlPlane, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const create = async (): Promise<void> => {
    for (const number of numbers) {
      const { code, body } = await plane.request('POST', '/apis/homeostat.io/v1alpha1/teamconfigs', {
        apiVersion: 'homeostat.io/v1alpha1',
        kind: 'TeamConfig',
        metadata: { name: `t${String(number).padStart(6, '0')}`, annotations: { note: 'x'.repeat(300) } },
        spec: {
          displayName: `Team ${number}`,
          members: ['owner', 'viewer'].map((role) => ({ kind: 'User', name: `${role}-${number}`, role })),
        },
      });
      if (code !== 201) throw new Error(`TeamConfig ${number} was not created: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, create));
}

/** Takes every right from the service but those of its manifests, TeamConfigs excepted. */
async function withoutTeamConfigs(plane: ControlPlane): Promise<void> {
  const file = join(projectFolder, 'manifests', 'rbac', 'clusterrole-homeostat.yaml');
  // A ClusterRole of our own rendering.
  const role = parse(await readFile(file, 'utf8')) as { readonly rules: readonly { readonly resources?: string[] }[] };
  const rules = role.rules
    .map((rule) => ({ ...rule, resources: rule.resources?.filter((resource) => resource !== 'teamconfigs') ?? [] }))
    .filter(({ resources }) => resources.length > 0);
  const name = 'bench-without-teams';
  const rbac = 'rbac.authorization.k8s.io';
  const items = [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: ours.account, namespace: benchNamespace }],
    },
  ];
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await plane.kubectl(['apply', '--server-side', '-f', '-'], { stdin });
  await plane.kubectl(['delete', 'clusterrolebinding', `bench-${ours.account}`]);
}
