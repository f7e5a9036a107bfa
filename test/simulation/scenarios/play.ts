import assert from 'node:assert/strict';
import type { Manifest } from '../../../src/base/object.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { type Report, runScenario } from '../../../src/testkit/simulation/run-scenario.ts';
import type { Act, PlannedFault } from '../../../src/testkit/simulation/scenario.ts';
import { createSetting, type Setting } from '../../../src/testkit/simulation/setting.ts';

/** When the service is up and the samples are applied, one after the other. */
const SAMPLES_MS = 4000;

/** When what the samples ask for has been made; what a scenario is about begins here. */
export const READY_MS = 8000;

/** What happens in a scenario beside the samples of its kinds. */
export interface Play {
  readonly acts?: readonly Act[];
  readonly faults?: readonly PlannedFault[];
  /** @defaultValue 1 */
  readonly replicas?: number;
  /** Takes the place of the kinds' samples. */
  readonly given?: readonly Manifest[];
  /** When the samples are applied. @defaultValue 4 s, when the service is up */
  readonly givenMs?: number;
  /** Of latencies, ties and jitter. @defaultValue 1 */
  readonly seed?: number;
}

const settings = new Map<string, Promise<Setting>>();

/** What simulations of one kind begin with. */
export async function settingOf(kindName: string): Promise<Setting> {
  const kind = kinds.find(({ type }) => type.kind === kindName) ?? assert.fail(kindName);
  const setting = settings.get(kindName) ?? createSetting(kind, kinds);
  settings.set(kindName, setting);
  return setting;
}

/** The samples of a kind and of those it reads, each once, in the order in which they refer to each other. */
export async function samplesOf(kindName: string): Promise<readonly Manifest[]> {
  const samples = (await settingOf(kindName)).kinds.flatMap((kind) => kind.samples);
  return [...new Map(samples.map((sample) => [`${sample.kind} ${sample.metadata.name}`, sample])).values()];
}

/** The one sample of a kind. */
export async function sampleOf(kindName: string): Promise<Manifest> {
  return (await samplesOf(kindName)).find(({ kind }) => kind === kindName) ?? assert.fail(kindName);
}

/** Plays a scenario of one kind; whatever promise it breaks is in the report. */
export async function play(kindName: string, scene: Play): Promise<Report> {
  const { acts = [], faults = [], replicas = 1, seed = 1, givenMs = SAMPLES_MS } = scene;
  const given = (scene.given ?? (await samplesOf(kindName))).map((manifest, index): Act => {
    return { type: 'apply', manifest, bypass: false, atMs: givenMs + index * 100 };
  });
  const skewsMs = Array.from({ length: replicas }, () => 0);
  return runScenario(await settingOf(kindName), { seed, replicas, skewsMs, acts: [...given, ...acts], faults }, true);
}

/** Fails with what broke and the last lines of the trace. */
export function assertKept({ findings, trace }: Report): void {
  assert.deepEqual(findings, [], trace.slice(-40).join('\n'));
}

/** Lines of the trace that hold a text. */
export function linesWith({ trace }: Report, text: string | RegExp): readonly string[] {
  return trace.filter((line) => (typeof text === 'string' ? line.includes(text) : text.test(line)));
}
