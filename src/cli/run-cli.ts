import type { Environment } from '../app/run-config.ts';
import { UsageError } from '../app/flag.ts';
import { nearest } from '../app/nearest.ts';
import { HomeostatError } from '../base/errors.ts';
import type { Kind } from '../sdk/kind.ts';
import type { Command } from './command.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** What the command line runs with. */
export interface CliOptions {
  readonly kinds: readonly Kind[];
  /** Words after the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

interface CommandEntry {
  readonly summary: string;
  /** Exit code for a command line that is not understood. @defaultValue 2 */
  readonly misunderstood?: number;
  readonly load: () => Promise<{ readonly command: Command; readonly usage: () => string }>;
}

/** Every command. Loading is lazy: `run` must not pay for the code of `dev`. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: { summary: 'Run the service: webhooks and controllers', load: () => import('./run.ts') },
  dev: { summary: 'Try everything on an embedded API server, nothing else needed', load: () => import('./dev.ts') },
  check: { summary: 'Check manifests without a cluster', load: () => import('./check.ts') },
  status: { summary: 'Show where objects stand', load: () => import('./status.ts') },
  // By 2 a plan says that there is something to do.
  plan: { summary: 'Show what a reconcile would do', misunderstood: 1, load: () => import('./plan.ts') },
  verify: {
    summary: 'See whether an installation works, and which joint is broken',
    load: () => import('./verify.ts'),
  },
  uninstall: { summary: 'Remove everything in an order that never hangs', load: () => import('./uninstall.ts') },
  shards: { summary: 'Prove that every object has exactly one owner', load: () => import('./shards.ts') },
  simulate: {
    summary: 'Run the whole service under thousands of schedules, from one seed',
    load: () => import('./simulate.ts'),
  },
  new: { summary: 'Begin a kind of your own', load: () => import('./new.ts') },
  store: { summary: 'Upload, verify, list, purge and restore backups', load: () => import('./store.ts') },
  manifests: { summary: 'Write what is applied to a cluster', load: () => import('./manifests.ts') },
};

/**
 * Runs one command and gives the exit code: 0 done, 1 failed, 2 not understood, unless the command says something else by 2. Errors
 * become one sentence on stderr.
 */
export async function runCli(options: CliOptions): Promise<number> {
  const { terminal } = options;
  const [name, ...argv] = helpLast(options.argv);
  const entry = entryOf(name);
  try {
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
      terminal.out(overview());
      return name === undefined ? 2 : 0;
    }
    if (name === 'version' || name === '--version') {
      terminal.out(`homeostat ${version()}`);
      return 0;
    }
    if (entry === undefined) throw unknownCommand(name);
    const { command, usage } = await entry.load();
    if (argv.includes('--help') || argv.includes('-h')) {
      terminal.out(usage());
      return 0;
    }
    return await command({ ...options, argv });
  } catch (error) {
    return report(error, { terminal, misunderstood: entry?.misunderstood ?? 2 });
  }
}

/** `help verify` asks for what `verify --help` shows. */
function helpLast(argv: readonly string[]): readonly string[] {
  const [first, second = ''] = argv;
  return first === 'help' && second !== '' ? [second, '--help'] : argv;
}

function entryOf(name = ''): CommandEntry | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

function overview(): string {
  const rows = Object.entries(COMMANDS).map(([name, entry]) => `  ${name.padEnd(12)}${entry.summary}`);
  return [
    'Homeostat checks your custom resources at kubectl apply and keeps them converged.',
    '',
    'Usage: homeostat COMMAND [flags]',
    '',
    ...rows,
    '',
    'homeostat COMMAND --help shows the flags of a command.',
  ].join('\n');
}

function unknownCommand(name: string): UsageError {
  const near = nearest(name, Object.keys(COMMANDS));
  return new UsageError(
    `Unknown command "${name}"; ${near === undefined ? 'run homeostat --help' : `did you mean ${near}?`}`,
  );
}

function report(
  error: unknown,
  { terminal, misunderstood }: { readonly terminal: Terminal; readonly misunderstood: number },
): number {
  const word = terminal.style('red', 'error:');
  if (error instanceof UsageError) {
    terminal.err(`${word} ${error.message}`);
    return misunderstood;
  }
  if (error instanceof HomeostatError) {
    terminal.err(`${word} ${error.message} [${error.code}]`);
    return 1;
  }
  // A bug: the stack is what helps whoever mends it.
  terminal.err(`${word} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}
