import { systemClock } from '../app/system-ports.ts';
import type { Kind } from '../sdk/kind.ts';
import { runCli } from './run-cli.ts';
import { stopSignal } from './stop-signal.ts';
import { processTerminal } from './terminal.ts';

/** Runs the command line of a process: its arguments, environment, streams and signals. Gives the exit code. */
export async function start(kinds: readonly Kind[], process: NodeJS.Process): Promise<number> {
  const stop = stopSignal(process, systemClock);
  // `homeostat manifests | head` closes our output early: nobody reads the rest, so there is nothing to report.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    return await runCli({
      kinds,
      argv: process.argv.slice(2),
      env: process.env,
      terminal: processTerminal(process.stdout, process.stderr),
      signal: stop.signal,
    });
  } finally {
    stop.release();
  }
}
