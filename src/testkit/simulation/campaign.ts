import type { Kind } from '../../sdk/kind.ts';
import { drawMoment } from './draw-moment.ts';
import { drawScenario } from './draw-scenario.ts';
import { type Report, runScenario } from './run-scenario.ts';
import { createSetting, type Setting } from './setting.ts';
import { shrink } from './shrink.ts';

/** What a campaign is to do. */
export interface CampaignOptions {
  /** The kinds that are looked at. */
  readonly subjects: readonly Kind[];
  /** The kinds of the service. */
  readonly kinds: readonly Kind[];
  /** Seed of the first scenario of each kind. */
  readonly seed: number;
  /** Scenarios of each kind. @defaultValue as many as there is time for */
  readonly runs?: number;
  /** Takes whole scenarios alone, as is done where the samples never come to rest. @defaultValue false: moments as well */
  readonly whole?: boolean;
  /** Runs each scenario twice, and takes two ways for a failure. @defaultValue false */
  readonly twice?: boolean;
  /** Asked before each scenario. */
  readonly isOver: () => boolean;
  /** Milliseconds of real time from any beginning. */
  readonly now: () => number;
  readonly progress?: (tallies: readonly Tally[]) => void;
}

/** What has come of the scenarios of one kind. */
export interface Tally {
  readonly kind: string;
  runs: number;
  /** Of these, those that were not moments. */
  whole: number;
  /** Scenarios that went a way that none before had gone. */
  readonly ways: Set<string>;
  /** Shrunk. */
  readonly failures: Report[];
  /** Real time it took. */
  tookMs: number;
  virtualMs: number;
  writes: number;
}

/** Of the seeds every so many is that of a whole scenario, and the others are those of moments. */
const WHOLE_EVERY = 20;

/** Failures of one kind after which it is left alone: the rest would say the same. */
const ENOUGH_FAILURES = 3;

/** Simulates kinds in turn until there is no time or nothing left to do. Failures are shrunk. */
export async function runCampaign(options: CampaignOptions): Promise<readonly Tally[]> {
  const { subjects, kinds, seed, runs = Number.POSITIVE_INFINITY, isOver, progress } = options;
  const rows: { readonly setting: Setting; readonly tally: Tally }[] = [];
  for (const subject of subjects) {
    const kind = subject.type.kind;
    const tally = {
      kind,
      runs: 0,
      whole: 0,
      ways: new Set<string>(),
      failures: [],
      tookMs: 0,
      virtualMs: 0,
      writes: 0,
    };
    rows.push({ setting: await createSetting(subject, kinds), tally });
  }
  const tallies = rows.map(({ tally }) => tally);
  for (let nth = 0; nth < runs; nth++) {
    for (const row of rows) {
      if (isOver()) return tallies;
      if (row.tally.failures.length < ENOUGH_FAILURES) await runOne(row, seed + nth, options);
    }
    if (rows.every(({ tally }) => tally.failures.length >= ENOUGH_FAILURES)) break;
    progress?.(tallies);
  }
  return tallies;
}

async function runOne(
  { setting, tally }: { readonly setting: Setting; readonly tally: Tally },
  seed: number,
  { twice = false, whole = false, now, isOver }: CampaignOptions,
): Promise<void> {
  const began = now();
  const isWhole = whole || !setting.settled.isAtRest || seed % WHOLE_EVERY === 0;
  const scenario = isWhole ? drawScenario(setting, seed) : drawMoment(setting, seed);
  const report = await runScenario(setting, scenario);
  tally.runs += 1;
  tally.whole += isWhole ? 1 : 0;
  tally.tookMs += now() - began;
  tally.ways.add(report.hash);
  tally.virtualMs += report.virtualMs;
  tally.writes += report.counts.writes;
  if (report.findings.length > 0) tally.failures.push(await shrink(setting, report, isOver));
  else if (twice && (await runScenario(setting, scenario)).hash !== report.hash) {
    const message = 'the same scenario went another way when it was run again';
    tally.failures.push({ ...report, findings: [{ oracle: 'one seed, one trace', message, atMs: 0 }] });
  }
}
