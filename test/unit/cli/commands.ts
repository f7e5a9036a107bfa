import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { recordingTerminal } from './recording-terminal.ts';

/** What a command line came to. */
export interface CommandResult {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Runs the command line in this process over the shipped kinds. */
export async function commandLine(...argv: readonly string[]): Promise<CommandResult> {
  const terminal = recordingTerminal();
  const code = await runCli({
    kinds,
    argv,
    env: {},
    signal: new AbortController().signal,
    terminal,
  });
  return { code, out: terminal.written, err: terminal.errors };
}

/** An empty folder that goes when the tests of this file end. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-cli-'));
  after(async () => rm(folder, { recursive: true, force: true }));
  return folder;
}
