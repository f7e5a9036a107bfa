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
 * Simulates a kind of the sources in a folder, in processes of their own. A simulation that does not end breaks a promise too: virtual
 * time stands still while promises wait for each other, which nobody inside can see, so that the process is ended from outside. It has to
 * happen twice, as a machine may stand still once. Rejects when a process fails.
 */
export async function hunt(options: HuntOptions): Promise<Hunted> {
  const { kind, limitMs = LIMIT_MS } = options;
  let endless = 0;
  for (let first = 1; ; ) {
    const last = await huntFrom(first, { ...options, limitMs });
    if (last.type !== 'begins') return last;
    if (last.seed === endless) break;
    endless = last.seed;
    first = last.seed;
  }
  const message = `the simulation has not come to an end within ${limitMs / 1000} s`;
  return { type: 'found', kind, seed: endless, oracle: 'every simulation comes to an end', message };
}

/** Resolves with what a process came to; with the seed it began last where it had to be ended. */
async function huntFrom(first: number, { folder, kind, runs, limitMs }: Required<HuntOptions>): Promise<HuntLine> {
  const program = join(import.meta.dirname, 'hunt-process.ts');
  const words = [program, folder, kind, String(first), String(runs)];
  const child = spawn(process.execPath, [...YOUNG_GENERATION, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const watched = watch(child, child.stdout, limitMs);
  const [{ last, isEndless }, complaints, code] = await Promise.all([watched, text(child.stderr), ended]);
  // What does not come to its first seed hangs where its setting is made, by a service that runs as well.
  if (isEndless) return last?.type === 'begins' ? last : { type: 'begins', seed: first };
  if (code === 0 && last !== undefined && last.type !== 'begins') return last;
  throw new Error(`The simulation of ${kind} ended with ${code}: ${complaints.slice(0, 2000)}`);
}

/** Reads what a child says, and ends it where one simulation takes too long. */
async function watch(
  child: ChildProcess,
  output: Readable,
  limitMs: number,
): Promise<{ readonly last: HuntLine | undefined; readonly isEndless: boolean }> {
  let last: HuntLine | undefined;
  let isEndless = false;
  const timer = setTimeout(() => {
    isEndless = true;
    child.kill('SIGKILL');
  }, limitMs);
  for await (const line of createInterface(output)) {
    // Our own program has written it.
    last = JSON.parse(line) as HuntLine;
    timer.refresh();
  }
  clearTimeout(timer);
  return { last, isEndless };
}
