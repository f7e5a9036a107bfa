import { type FlagTable, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { nearest } from '../app/nearest.ts';
import type { Unstructured } from '../base/object.ts';
import type { Kind } from '../sdk/kind.ts';
import { CLUSTER_FLAGS, withCluster } from './cluster-client.ts';
import type { CommandContext } from './command.ts';
import { listSummaries } from './list-summaries.ts';
import { type ObjectReport, type ObjectSummary, type ReportAccess, reportOf } from './object-report.ts';
import { OUTPUT_FLAG, type OutputFormat, readOutputFormat } from './output-format.ts';
import { reportLines, summaryLines } from './report-lines.ts';

const FLAGS = {
  n: { type: 'text', placeholder: 'NAMESPACE', description: 'Namespace; else all, and for a single object "default"' },
  ...OUTPUT_FLAG,
  ...CLUSTER_FLAGS,
} as const satisfies FlagTable;

/** Help of `homeostat status`. */
export function usage(): string {
  return [
    'Usage: homeostat status [KIND [NAME]] [flags]',
    '',
    'Shows where objects stand: all, those of a kind, or one of them as a tree of its steps, its children, the last passes and',
    'Events; and, when it is reconciled again and again, whether an error, a step or something it depends on is behind that.',
    'KIND is written as for kubectl: environment, environments or env. Nothing is written to the cluster.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat status`. */
export async function command(context: CommandContext): Promise<number> {
  const { kinds, argv, env, terminal, signal } = context;
  const { flags, words } = parseArguments(FLAGS, argv, env);
  const [kindName, name, ...rest] = words;
  if (rest.length > 0) throw new UsageError(`homeostat status takes a kind and a name, and got ${words.length} words`);
  const format = readOutputFormat(flags.o);
  const chosen = kindName === undefined ? kinds : [kindOf(kindName, kinds)];
  const lines = await withCluster(context, flags, 'status', async ({ client }) => {
    const access = { client, signal };
    const [kind] = chosen;
    if (name === undefined || kind === undefined) {
      const found = await listSummaries(chosen, flags.n, access);
      for (const plural of found.hidden) terminal.err(`${plural} cannot be listed with your rights`);
      return renderAll(found.objects, format, context);
    }
    return renderOne(await one(kind, { namespace: flags.n ?? 'default', name }, access), format, context);
  });
  for (const line of lines) terminal.out(line);
  return 0;
}

function renderAll(
  objects: readonly ObjectSummary[],
  format: OutputFormat,
  { terminal }: CommandContext,
): readonly string[] {
  return format === 'json' ? [JSON.stringify(objects, undefined, 2)] : summaryLines(objects, terminal);
}

function renderOne(report: ObjectReport, format: OutputFormat, { terminal }: CommandContext): readonly string[] {
  return format === 'json' ? [JSON.stringify(report, undefined, 2)] : reportLines(report, terminal);
}

/** The kind by its name, singular, plural or short name, in any case. */
function kindOf(word: string, kinds: readonly Kind[]): Kind {
  const wanted = word.toLowerCase();
  const namesOf = ({ type, singular, shortNames }: Kind): readonly string[] => [
    type.kind.toLowerCase(),
    singular,
    type.plural,
    ...shortNames,
  ];
  const found = kinds.find((kind) => namesOf(kind).includes(wanted));
  if (found !== undefined) return found;
  const near = nearest(wanted, kinds.flatMap(namesOf));
  const hint =
    near === undefined ? `the kinds are ${kinds.map(({ singular }) => singular).join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`Unknown kind "${word}"; ${hint}`);
}

async function one(
  kind: Kind,
  key: { readonly namespace: string; readonly name: string },
  access: ReportAccess,
): Promise<ObjectReport> {
  const { client, signal } = access;
  const own = kind.type.namespaced ? key : { name: key.name };
  const object: Unstructured = await client.get(kind.type, own, { signal });
  return reportOf(kind, object, access);
}
