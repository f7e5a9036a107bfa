import { type FlagTable, type FlagValues, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { Snapshot } from '../app/snapshot.ts';
import { systemClock, systemRandom } from '../app/system-ports.ts';
import { HomeostatError } from '../base/errors.ts';
import { createKubeClient } from '../kube/http-client.ts';
import { loadConnection } from '../kube/load-connection.ts';
import { createUndiciTransport } from '../kube/undici-transport.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { CommandContext } from './command.ts';
import { readManifestFiles } from './manifest-files.ts';
import { makePlan } from './make-plan.ts';
import { type Plan, planLines } from './plan-report.ts';
import { version } from './version.ts';

const FLAGS = {
  f: { type: 'text', placeholder: 'FILE', description: 'Manifests, or a folder of them' },
  o: { type: 'text', placeholder: 'FORMAT', default: 'text', description: 'text, or json for programs' },
  kubeconfig: { type: 'text', placeholder: 'FILE', description: 'Kubeconfig; else KUBECONFIG, else ~/.kube/config' },
  context: { type: 'text', placeholder: 'NAME', description: 'Context of the kubeconfig; else its current one' },
} as const satisfies FlagTable;

/** Exit code of a plan that holds something to do, as in `terraform plan -detailed-exitcode`. */
const SOMETHING_TO_DO = 2;

/** Help of `homeostat plan`. */
export function usage(): string {
  return [
    'Usage: homeostat plan -f FILE [flags]',
    '',
    'Shows what would come of applying the manifests: the objects themselves, and what their controllers would then add (+),',
    'change (~) or destroy (-). Nothing is written: the cluster is read, and asked for dry runs.',
    'Exit code 0 when there is nothing to do, 2 when there is, 1 when no plan can be made.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat plan`. */
export async function command(context: CommandContext): Promise<number> {
  const { kinds, argv, env, terminal, signal } = context;
  const { flags, words } = parseArguments(FLAGS, argv, env);
  if (flags.f === undefined) throw new UsageError('homeostat plan needs -f FILE');
  if (flags.o !== 'text' && flags.o !== 'json') throw new UsageError(`Flag -o: "${flags.o}" is neither text nor json`);
  const { objects, problems } = await readManifestFiles([flags.f, ...words]);
  const [problem] = problems;
  if (problem !== undefined) {
    throw new HomeostatError('HOMEOSTAT_MANIFEST', `${problem.file}:${problem.line}: ${problem.message}`);
  }
  const plan = await withClient(context, flags, async ({ client, log }) => {
    const manifests = objects.map(({ manifest }) => manifest);
    return makePlan({ kinds, manifests, client, log, signal, snapshot: await Snapshot.read(client, kinds, signal) });
  });
  for (const line of render(plan, flags.o)) terminal.out(line);
  return plan.changes.length + plan.held.length === 0 ? 0 : SOMETHING_TO_DO;
}

function render(plan: Plan, format: 'text' | 'json'): readonly string[] {
  return format === 'json' ? [JSON.stringify(plan, undefined, 2)] : planLines(plan);
}

type Parts = Pick<Parameters<typeof makePlan>[0], 'client' | 'log'>;

async function withClient<Result>(
  { env, terminal }: CommandContext,
  { kubeconfig, context }: FlagValues<typeof FLAGS>,
  work: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const destination = { write: (line: string) => terminal.err(line.trimEnd()) };
  const log = createLogger({ level: 'error', destination, clock: systemClock });
  const home = env['HOME'] === undefined ? undefined : `${env['HOME']}/.kube/config`;
  const fromEnv = env['KUBECONFIG'] === '' ? undefined : env['KUBECONFIG']?.split(':');
  const files = kubeconfig ?? fromEnv ?? home;
  const connection = await loadConnection({ kubeconfig: files, context, environment: env, clock: systemClock, log });
  const transport = createUndiciTransport({ connection, clock: systemClock, log });
  const client = createKubeClient({
    transport,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: createMetrics({ processMetrics: false }).metrics,
    userAgent: `homeostat-plan/${version()}`,
  });
  try {
    return await work({ client, log });
  } finally {
    await transport.close();
  }
}
