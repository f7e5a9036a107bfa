import { type FlagTable, parseArguments, refuseArguments } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { servedChain } from '../app/served-chain.ts';
import { systemClock } from '../app/system-ports.ts';
import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import { defaultManifestSettings } from '../manifests/settings.ts';
import { CLUSTER_FLAGS, NAMESPACE_FLAG, withCluster } from './cluster-client.ts';
import type { CommandContext } from './command.ts';
import { OUTPUT_FLAG, readOutputFormat } from './output-format.ts';
import { type Finding, firstBroken } from './verify-finding.ts';
import { verifyInstallation } from './verify-installation.ts';
import { findingLines, verdictLine } from './verify-report.ts';
import { version } from './version.ts';

const FLAGS = {
  wait: {
    type: 'duration',
    bare: '5m',
    description: 'Look again until all is well, for 5m or as long as is said',
  },
  ...NAMESPACE_FLAG,
  ...OUTPUT_FLAG,
  ...CLUSTER_FLAGS,
} as const satisfies FlagTable;

/** Time between two looks. */
const AGAIN_MS = 1000;

/** Looks in a row that have to be good: API servers learn of a webhook one by one. */
const GOOD_LOOKS = 2;

/** Help of `homeostat verify`. */
export function usage(): string {
  return [
    'Usage: homeostat verify [--wait[=DURATION]] [flags]',
    '',
    'Looks at every joint of an installation: definitions, rights, Service, webhook configurations, certificate and leader, and',
    'sends two dry runs of each kind, one to be allowed and one to be refused. Names the first joint that is broken and what to',
    'do. Nothing is stored. Exit code 0 when all is well, 1 when something is broken, 2 when the command line is not understood.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat verify`. */
export async function command(context: CommandContext): Promise<number> {
  const { kinds, argv, env, terminal, signal } = context;
  const { flags, words } = parseArguments(FLAGS, argv, env);
  refuseArguments('verify', words);
  const format = readOutputFormat(flags.o);
  const settings = { ...defaultManifestSettings(version()), namespace: flags.namespace };
  const findings = await withCluster(context, flags, 'verify', async ({ client, takeWarnings }) => {
    const access = { client, kinds, settings, clock: systemClock, signal, takeWarnings, servedChain };
    const look = (): Promise<readonly Finding[]> => verifyInstallation(access);
    const waited = flags.wait;
    if (waited === undefined) return look();
    const tell = (line: string): void => terminal.err(`Waiting. ${line}`);
    return waitUntilWell(look, { clock: systemClock, timeoutMs: waited, signal, tell });
  });
  const lines = format === 'json' ? [jsonOf(findings)] : findingLines(findings, terminal);
  for (const line of lines) terminal.out(line);
  return firstBroken(findings) === undefined ? 0 : 1;
}

/** How a wait goes. */
export interface WaitOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Hears a sentence whenever another one holds. */
  readonly tell: (line: string) => void;
}

/**
 * Looks until all was well twice in a row, or the time is over; gives what was found last. A look that fails because the API server
 * does not answer is one more reason to wait, until the end.
 */
export async function waitUntilWell(
  look: () => Promise<readonly Finding[]>,
  { clock, timeoutMs, signal, tell }: WaitOptions,
): Promise<readonly Finding[]> {
  const endsAt = clock.monotonic() + timeoutMs;
  let [good, told] = [0, ''];
  for (;;) {
    const looked = await look().catch((error: unknown) => {
      if (signal.aborted || clock.monotonic() >= endsAt) throw error;
      return errorText(error);
    });
    const well = typeof looked !== 'string' && firstBroken(looked) === undefined;
    good = well ? good + 1 : 0;
    if (typeof looked !== 'string' && (good === GOOD_LOOKS || clock.monotonic() >= endsAt)) return looked;
    const line = typeof looked === 'string' ? looked : verdictLine(looked, { style: (_style, text) => text });
    if (!well && line !== told) tell(line);
    told = line;
    await sleep(clock, AGAIN_MS, signal);
  }
}

function jsonOf(findings: readonly Finding[]): string {
  return JSON.stringify({ well: firstBroken(findings) === undefined, findings }, undefined, 2);
}
