import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from './project.ts';

/** How a command ended. */
export interface CommandOutcome {
  readonly code: number;
  /** Both outputs, in the order in which they came. */
  readonly output: string;
}

/** Runs a program that the project's development dependencies installed. Rejects when it is not there. */
export async function runInstalled(program: string, args: readonly string[]): Promise<CommandOutcome> {
  return runCommand(join(projectFolder, 'node_modules', '.bin', program), args);
}

/** Runs a program in the project's folder to its end. */
export async function runCommand(program: string, args: readonly string[]): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: projectFolder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.trimEnd() }));
  });
}
