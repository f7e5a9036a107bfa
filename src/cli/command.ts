import type { Environment } from '../app/run-config.ts';
import type { Kind } from '../sdk/kind.ts';
import type { Terminal } from './terminal.ts';

/** What every command is given. */
export interface CommandContext {
  readonly kinds: readonly Kind[];
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Fires when the person or the kubelet asks to stop. */
  readonly signal: AbortSignal;
}

/** Runs to the end and gives the exit code. */
export type Command = (context: CommandContext) => Promise<number>;
