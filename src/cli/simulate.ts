import { hash } from 'node:crypto';
import { type FlagTable, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { nearest } from '../app/nearest.ts';
import { systemClock } from '../app/system-ports.ts';
import type { Kind } from '../sdk/kind.ts';
import { runCampaign, type Tally } from '../testkit/simulation/campaign.ts';
import { describeReport } from '../testkit/simulation/describe-report.ts';
import type { CommandContext } from './command.ts';

const FLAGS = {
  runs: {
    type: 'integer',
    least: 1,
    description: 'Scenarios of each kind; 500 where neither this nor --minutes is given',
  },
  seed: { type: 'integer', default: '1', description: 'Seed of the first scenario; the others follow one by one' },
  whole: { type: 'boolean', default: 'false', description: 'Whole scenarios alone, without the moments between them' },
  minutes: { type: 'integer', least: 1, description: 'Go on for so many minutes, shared by the kinds' },
} as const satisfies FlagTable;

const DEFAULT_RUNS = 500;

/** Lines of progress on a terminal that cannot be redrawn come this far apart. */
const PROGRESS_MS = 15_000;

/** Help of `homeostat simulate`. */
export function usage(): string {
  return [
    'Usage: homeostat simulate [KIND] [flags]',
    '',
    'Runs the whole service with its API server, its Vault and its users in memory and in virtual time, from a seed: replicas die,',
    'answers are lost, watches lag, people change their minds. Every promise is checked at every step and in the end. A failure is',
    'shown with its seed, the smallest plan that leads to it, what happened, and how to have it again.',
    'Every twentieth seed is that of a whole scenario, a long history from nothing; the others are moments, one thing in a cluster at rest.',
    'Exit code 0 when every promise was kept; an interrupted campaign shows what it has and ends with 1.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat simulate`. */
export async function command({ kinds, argv, env, terminal, signal }: CommandContext): Promise<number> {
  const { flags, words } = parseArguments(FLAGS, argv, env);
  const subjects = words.length === 0 ? kinds : words.map((word) => kindNamed(word, kinds));
  const now = (): number => systemClock.monotonic();
  const endMs = flags.minutes === undefined ? Number.POSITIVE_INFINITY : now() + flags.minutes * 60_000;
  const runs = flags.runs ?? (flags.minutes === undefined ? DEFAULT_RUNS : undefined);
  let toldMs = now();
  const tallies = await runCampaign({
    subjects,
    kinds,
    seed: flags.seed,
    whole: flags.whole,
    ...(runs === undefined ? {} : { runs }),
    isOver: () => signal.aborted || now() >= endMs,
    now,
    progress: (rows) => {
      const line = rows.map(({ kind, runs: done, failures }) => `${kind} ${done}${mark(failures.length)}`).join('  ');
      if (terminal.interactive) terminal.raw(`\r${line.slice(0, terminal.columns - 1)}\u001b[K`);
      else if (now() - toldMs >= PROGRESS_MS) terminal.err(line);
      else return;
      toldMs = now();
    },
  });
  if (terminal.interactive) terminal.raw('\r\u001b[K');
  for (const line of summary(tallies)) terminal.out(line);
  terminal.out(`\nDigest of all traces, the same for the same runs on any machine: ${digest(tallies)}`);
  for (const { kind, failures } of tallies) {
    for (const failure of failures) for (const line of ['', ...describeReport(kind, failure)]) terminal.out(line);
  }
  signal.throwIfAborted();
  return tallies.every(({ failures }) => failures.length === 0) ? 0 : 1;
}

function kindNamed(word: string, kinds: readonly Kind[]): Kind {
  const found = kinds.find(({ type, singular }) =>
    [type.kind.toLowerCase(), type.plural, singular].includes(word.toLowerCase()),
  );
  if (found !== undefined) return found;
  const names = kinds.map(({ type }) => type.kind);
  const near = nearest(word, names);
  throw new UsageError(
    `There is no kind "${word}"; ${near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`}`,
  );
}

function mark(failures: number): string {
  return failures === 0 ? '' : ` (${failures} failed)`;
}

function summary(tallies: readonly Tally[]): readonly string[] {
  const row = (cells: readonly (string | number)[]): string =>
    cells.map((cell, index) => (index === 0 ? String(cell).padEnd(18) : String(cell).padStart(14))).join('');
  return [
    row(['KIND', 'RUNS', 'WHOLE', 'SCHEDULES', 'RUNS/MINUTE', 'VIRTUAL TIME', 'WRITES', 'FAILURES']),
    ...tallies.map(({ kind, runs, whole, ways, tookMs, virtualMs, writes, failures }) =>
      row([
        kind,
        runs,
        whole,
        ways.size,
        Math.round((runs * 60_000) / Math.max(1, tookMs)),
        hours(virtualMs),
        writes,
        failures.length,
      ]),
    ),
  ];
}

function digest(tallies: readonly Tally[]): string {
  const ways = tallies.flatMap(({ kind, ways: traces }) => [kind, ...traces]);
  return hash('sha256', ways.join('\n')).slice(0, 16);
}

function hours(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
