import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** What simulations of one kind came to. */
export type Hunted =
  | {
      readonly type: 'found';
      readonly kind: string;
      /** Of the first simulation that broke a promise. */
      readonly seed: number;
      readonly oracle: string;
      readonly message: string;
    }
  | { readonly type: 'nothing'; readonly runs: number };

/** What the process that simulates says, a line each: the seed that it begins with, and at last what it has come to. */
export type HuntLine = { readonly type: 'begins'; readonly seed: number } | Hunted;

/** What one hunt needs. */
export interface HuntOptions {
  /** Holds the sources in src. */
  readonly folder: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Most simulations, seeds from 1 up. */
  readonly runs: number;
  /** How long one simulation may take in real time. @defaultValue 60 000, hundreds of times what one takes */
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;

/** A young generation that holds a few simulations: what is left of one is then garbage. */
const YOUNG_GENERATION = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/**
 * Simulates a kind of the sources in a folder, in a process of its own. A simulation that does not end breaks a promise too: virtual time
 * stands still while promises wait for each other, which nobody inside can see, so that the process is ended from outside. Rejects when
 * that process fails.
 */
export async function hunt({ folder, kind, runs, limitMs = LIMIT_MS }: HuntOptions): Promise<Hunted> {
  const program = join(import.meta.dirname, 'hunt-process.ts');
  const child = spawn(process.execPath, [...YOUNG_GENERATION, program, folder, kind, String(runs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const watched = watch(child, child.stdout, limitMs);
  const [{ last, endless }, complaints, code] = await Promise.all([watched, text(child.stderr), ended]);
  if (endless !== undefined) {
    const message = `the simulation has not come to an end within ${limitMs / 1000} s`;
    return { type: 'found', kind, seed: endless, oracle: 'every simulation comes to an end', message };
  }
  if (code !== 0 || last === undefined || last.type === 'begins') {
    throw new Error(`The simulation of ${kind} ended with ${code}: ${complaints.slice(0, 2000)}`);
  }
  return last;
}

/** Reads what a child says, and ends it where one simulation takes too long. */
async function watch(
  child: ChildProcess,
  output: Readable,
  limitMs: number,
): Promise<{ readonly last: HuntLine | undefined; readonly endless: number | undefined }> {
  let last: HuntLine | undefined;
  let endless: number | undefined;
  const timer = setTimeout(() => {
    // What does not come to the first seed hangs where its setting is made, by a service that runs as well.
    endless = last?.type === 'begins' ? last.seed : 1;
    child.kill('SIGKILL');
  }, limitMs);
  for await (const line of createInterface(output)) {
    // Our own program has written it.
    last = JSON.parse(line) as HuntLine;
    timer.refresh();
  }
  clearTimeout(timer);
  return { last, endless };
}
