import type { Kind } from '../../sdk/kind.ts';
import { drawScenario } from './draw-scenario.ts';
import { type Report, runScenario } from './run-scenario.ts';
import { createSetting } from './setting.ts';

/** How to simulate a kind. */
export interface SimulateOptions {
  /** The kinds of the service it belongs to; those that it reads come along. @defaultValue it alone */
  readonly kinds?: readonly Kind[];
  /** How many scenarios. @defaultValue 100 */
  readonly runs?: number;
  /** Of the first scenario; the others follow one by one. @defaultValue 1 */
  readonly seed?: number;
}

/**
 * Simulates the whole service with a kind, in memory and in virtual time: people change objects drawn from the kind's schema, processes
 * die, answers are lost, watches lag. Resolves with the reports of the scenarios that broke a promise; with none when all is well.
 */
export async function simulate(kind: Kind, options: SimulateOptions = {}): Promise<readonly Report[]> {
  const { kinds = [kind], runs = 100, seed = 1 } = options;
  const setting = await createSetting(kind, kinds);
  const broken: Report[] = [];
  for (let nth = 0; nth < runs; nth++) {
    const report = await runScenario(setting, drawScenario(setting, seed + nth));
    if (report.findings.length > 0) broken.push(report);
  }
  return broken;
}
