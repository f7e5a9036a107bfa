import type { Random } from '../../src/base/random.ts';
import { faultyCluster } from '../fault/devcluster.ts';
import { type Followed, follow } from '../fault/followed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { troubles } from './troubles.ts';

/** How a soak is run. */
export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly report: (line: SoakLine) => void;
}

/** Where a soak stands. */
export interface SoakLine {
  readonly minute: number;
  readonly rounds: number;
  readonly changes: number;
  readonly objects: number;
  readonly lists: number;
  readonly watches: number;
  readonly handles: number;
  readonly heapMb: number;
}

const followers = 3;
const changesPerRound = 40;

/** Open handles and heap may differ by this much between the first and the last rounds. */
const handleSlack = 10;
const heapSlackMb = 25;

/**
 * Rounds of changes and troubles, until the time is over; after each, every store has to equal the server. Returns what was wrong,
 * as sentences.
 */
export async function soak({ minutes, seed, report }: SoakOptions): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const server = await faultyCluster();
  const ends: (() => Promise<void>)[] = [];
  const faults: string[] = [];
  process.on('unhandledRejection', (reason) => faults.push(`Unhandled rejection: ${String(reason)}`));
  try {
    const followed: Followed[] = [];
    for (let n = 0; n < followers; n++) {
      followed.push(await follow({ after: (end) => void ends.push(end) }, server.target));
    }
    const begin = performance.now();
    const lines: SoakLine[] = [];
    for (let rounds = 1; performance.now() - begin < minutes * 60_000 && faults.length === 0; rounds++) {
      await round(followed, server.cluster.faults, random).catch((error: unknown) =>
        faults.push(`Round ${rounds}: ${error instanceof Error ? error.message : String(error)}`),
      );
      const line = measure(followed, (performance.now() - begin) / 60_000, rounds);
      const told = lines.at(-1);
      if (told !== undefined && line.minute - told.minute < 0.5) continue;
      lines.push(line);
      report(line);
    }
    return [...faults, ...growth(lines)];
  } finally {
    for (const end of ends) await end();
    await server.end();
  }
}

async function round(
  followed: readonly Followed[],
  faults: Parameters<typeof troubles>[0]['faults'],
  random: Random,
): Promise<void> {
  const acts = followed.map(({ proxy }) => troubles({ faults, proxy }));
  for (let change = 0; change < changesPerRound; change++) {
    const follower = Math.floor(random.next() * followers);
    const name = `object-${Math.floor(random.next() * 100)}`;
    if (random.next() < 0.3) await followed[follower]?.remove(name);
    else await followed[follower]?.put(name, String(random.next()));
    const trouble = acts[follower] ?? [];
    if (random.next() < 0.1) await trouble[Math.floor(random.next() * trouble.length)]?.();
  }
  faults.clear();
  for (const { proxy } of followed) await proxy.accept();
  for (const one of followed) await one.agrees({ requests: Number.POSITIVE_INFINITY, timeoutMs: 120_000 });
}

function measure(followed: readonly Followed[], minute: number, rounds: number): SoakLine {
  const sum = (count: (one: Followed) => number): number => followed.reduce((total, one) => total + count(one), 0);
  globalThis.gc?.();
  return {
    minute: Math.round(minute * 100) / 100,
    rounds,
    changes: rounds * changesPerRound,
    objects: sum(({ informer }) => informer.store.size),
    lists: sum(({ client }) => client.lists),
    watches: sum(({ client }) => client.watches),
    handles: process.getActiveResourcesInfo().length,
    heapMb: Math.round(process.memoryUsage().heapUsed / 1024 / 1024),
  };
}

/** Compares the last line with the second, by when everything has been loaded and compiled. */
function growth(lines: readonly SoakLine[]): readonly string[] {
  const [first, last] = [lines[1], lines.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    ...(last.handles > first.handles + handleSlack ? [`Handles grew from ${first.handles} to ${last.handles}`] : []),
    ...(last.heapMb > first.heapMb + heapSlackMb ? [`The heap grew from ${first.heapMb} to ${last.heapMb} MB`] : []),
  ];
}
