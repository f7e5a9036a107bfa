import { systemClock } from '../../app/system-ports.ts';
import { HomeostatError } from '../../base/errors.ts';
import type { Kind } from '../../sdk/kind.ts';
import { runCampaign } from './campaign.ts';
import { describeReport } from './describe-report.ts';

/** How to simulate a kind. */
export interface SimulateOptions {
  /** The kinds of the service it belongs to; those that it reads come along. @defaultValue it alone */
  readonly kinds?: readonly Kind[];
  /** How many scenarios, whole ones and moments. @defaultValue 400 */
  readonly runs?: number;
  /** Takes whole scenarios alone, which cost more and go further. @defaultValue false */
  readonly whole?: boolean;
  /** Of the first scenario; the others follow one by one. @defaultValue 1 */
  readonly seed?: number;
}

/** A promise was broken under simulation. Code `HOMEOSTAT_SIMULATION`; the message is the whole story, the seed first. */
export class SimulationFailed extends HomeostatError {
  constructor(story: string) {
    super('HOMEOSTAT_SIMULATION', story);
  }
}

/**
 * Simulates the whole service with a kind, in memory and in virtual time: people change objects drawn from the kind's schema, processes
 * die, answers are lost, watches lag; each scenario is run twice. For a test of one line.
 *
 * @throws SimulationFailed with the smallest scenario that breaks a promise
 */
export async function simulate(kind: Kind, options: SimulateOptions = {}): Promise<void> {
  const { kinds = [kind], runs = 400, whole = false, seed = 1 } = options;
  let isOver = false;
  const tallies = await runCampaign({
    subjects: [kind],
    kinds,
    seed,
    runs,
    whole,
    twice: true,
    isOver: () => isOver,
    now: () => systemClock.monotonic(),
    progress: ([tally]) => (isOver = (tally?.failures.length ?? 0) > 0),
  });
  const failure = tallies[0]?.failures[0];
  if (failure !== undefined) throw new SimulationFailed(describeReport(kind.type.kind, failure).join('\n'));
}
