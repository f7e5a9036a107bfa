import { createService } from '../app/create-service.ts';
import { flagHelp } from '../app/help.ts';
import { readRunConfig, RUN_FLAGS } from '../app/run-config.ts';
import type { CommandContext } from './command.ts';
import { version } from './version.ts';

/** Help of `homeostat run`. */
export function usage(): string {
  return `Usage: homeostat run [flags]\n\nRuns the webhooks and the controllers until SIGTERM.\n\n${flagHelp(RUN_FLAGS)}`;
}

/** `homeostat run`: the production command. Log lines go to standard output, one JSON object each. */
export async function command({ kinds, argv, env, terminal, signal }: CommandContext): Promise<number> {
  const config = readRunConfig(argv, env);
  const service = await createService({
    kinds,
    config,
    env,
    version: version(),
    destination: { write: (line) => terminal.raw(line) },
  });
  try {
    await service.run(signal);
    return 0;
  } catch (error) {
    // It is in the log, where the cluster's log collector looks for it; a person at a terminal reads it as a sentence too.
    if (terminal.interactive) throw error;
    return 1;
  }
}
