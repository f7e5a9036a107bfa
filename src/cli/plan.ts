import { type FlagTable, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { Snapshot } from '../app/snapshot.ts';
import { HomeostatError } from '../base/errors.ts';
import { CLUSTER_FLAGS, withCluster } from './cluster-client.ts';
import type { CommandContext } from './command.ts';
import { readManifestFiles } from './manifest-files.ts';
import { makePlan } from './make-plan.ts';
import { OUTPUT_FLAG, type OutputFormat, readOutputFormat } from './output-format.ts';
import { type Plan, planLines } from './plan-report.ts';

const FLAGS = {
  f: { type: 'text', placeholder: 'FILE', description: 'Manifests, or a folder of them' },
  ...OUTPUT_FLAG,
  ...CLUSTER_FLAGS,
} as const satisfies FlagTable;

/** Exit code of a plan that holds something to do, as in `terraform plan -detailed-exitcode`. */
const SOMETHING_TO_DO = 2;

/** Help of `homeostat plan`. */
export function usage(): string {
  return [
    'Usage: homeostat plan -f FILE [flags]',
    '',
    'Shows what would come of applying the manifests: the objects themselves, and what their controllers would then add (+),',
    'change (~) or destroy (-). Nothing is written: the cluster is read, and asked for dry runs. Systems outside the cluster',
    'are not asked; objects that keep something there are named (?).',
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
  const format = readOutputFormat(flags.o);
  const { objects, problems } = await readManifestFiles([flags.f, ...words]);
  const [problem] = problems;
  if (problem !== undefined) {
    throw new HomeostatError('HOMEOSTAT_MANIFEST', `${problem.file}:${problem.line}: ${problem.message}`);
  }
  const plan = await withCluster(context, flags, 'plan', async ({ client, log }) => {
    const manifests = objects.map(({ manifest }) => manifest);
    return makePlan({ kinds, manifests, client, log, signal, snapshot: await Snapshot.read(client, kinds, signal) });
  });
  for (const line of render(plan, format)) terminal.out(line);
  return plan.changes.length + plan.held.length === 0 ? 0 : SOMETHING_TO_DO;
}

function render(plan: Plan, format: OutputFormat): readonly string[] {
  return format === 'json' ? [JSON.stringify(plan, undefined, 2)] : planLines(plan);
}
