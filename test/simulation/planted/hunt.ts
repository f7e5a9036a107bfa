import { spawn } from 'node:child_process';
import { join } from 'node:path';
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

/** How long one hunt may take. A simulation that does not end is no finding: a fault that is not seen has to be one that ends. */
const LIMIT_MS = 600_000;

/** A young generation that holds a few simulations: what is left of one is then garbage. */
const YOUNG_GENERATION = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Simulates a kind of the sources in a folder, in a process of its own, with seeds from 1 up. Rejects when that process fails. */
export async function hunt(folder: string, kind: string, runs: number): Promise<Hunted> {
  const program = join(import.meta.dirname, 'hunt-process.ts');
  const child = spawn(process.execPath, [...YOUNG_GENERATION, program, folder, kind, String(runs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [answer, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) {
    const how = code === null ? `was stopped after ${LIMIT_MS / 1000} s` : `ended with ${code}`;
    throw new Error(`The simulation of ${kind} ${how}: ${complaints.slice(0, 2000)}`);
  }
  // Our own program has written it.
  return JSON.parse(answer) as Hunted;
}
