import { type Report, runScenario } from './run-scenario.ts';
import type { Plan, Scenario } from './scenario.ts';
import type { Setting } from './setting.ts';

/** Runs after which shrinking is given up. */
const MOST_RUNS = 60;

/**
 * Takes away whatever a failure does not need, act by act and fault by fault, while the same promise is broken. Resolves with the report
 * of the smallest scenario that was found until `isOver`.
 */
export async function shrink(setting: Setting, failure: Report, isOver: () => boolean): Promise<Report> {
  let smallest = failure;
  let runs = 0;
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    for (const candidate of smallerThan(smallest.scenario)) {
      if (runs++ >= MOST_RUNS || isOver()) return smallest;
      const report = await runScenario(setting, candidate);
      if (!breaksTheSame(report, failure)) continue;
      smallest = report;
      shrunk = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const { faults, replicas, skewsMs, sequel } = scenario;
  if (sequel !== undefined) {
    const { sequel: _sequel, ...first } = scenario;
    yield first;
  }
  for (const plan of smallerPlans(scenario)) yield { ...scenario, ...plan };
  if (sequel !== undefined) for (const plan of smallerPlans(sequel)) yield { ...scenario, sequel: plan };
  if (replicas > 1) {
    const left = faults.filter((fault) => !('replica' in fault) || fault.replica < replicas - 1);
    const { shares: _shares, ...whole } = scenario;
    yield { ...whole, replicas: replicas - 1, skewsMs: skewsMs.slice(0, -1), faults: left };
  }
  if (skewsMs.some((skew) => skew !== 0)) yield { ...scenario, skewsMs: skewsMs.map(() => 0) };
}

function* smallerPlans({ acts, faults }: Plan): Generator<Plan> {
  if (faults.length > 1) yield { acts, faults: [] };
  if (acts.length > 3) yield { acts: acts.slice(0, Math.ceil(acts.length / 2)), faults };
  for (const [index] of faults.entries()) yield { acts, faults: faults.toSpliced(index, 1) };
  // Late acts first: what comes first is mostly what the others stand on.
  for (let index = acts.length - 1; index >= 0; index--) yield { acts: acts.toSpliced(index, 1), faults };
}

function breaksTheSame(report: Report, failure: Report): boolean {
  return report.findings.some(({ oracle }) => oracle === failure.findings[0]?.oracle);
}
