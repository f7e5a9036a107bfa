// Simulates one kind of a copy of the sources until a promise is broken:  node hunt-process.ts FOLDER KIND FIRST LAST
// Prints lines of JSON: each seed when it begins, at last the first finding or how many simulations all went well.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { kinds as originalKinds } from '../../../src/kinds/index.ts';
import type { drawScenario as originalDraw } from '../../../src/testkit/simulation/draw-scenario.ts';
import type { runScenario as originalRun } from '../../../src/testkit/simulation/run-scenario.ts';
import type { createSetting as originalSetting } from '../../../src/testkit/simulation/setting.ts';
import type { Hunted, HuntLine } from './hunt.ts';

/** What the copy exports that is used here: the same as the sources it was made of. */
interface Copied {
  readonly kinds: typeof originalKinds;
  readonly createSetting: typeof originalSetting;
  readonly drawScenario: typeof originalDraw;
  readonly runScenario: typeof originalRun;
}

const FILES = [
  'kinds/index',
  'testkit/simulation/setting',
  'testkit/simulation/draw-scenario',
  'testkit/simulation/run-scenario',
];

const [folder = '', kindName = '', from = '1', to = '0'] = process.argv.slice(2);

async function load(): Promise<Copied> {
  const modules: readonly object[] = await Promise.all(
    FILES.map((file): Promise<object> => import(pathToFileURL(join(folder, 'src', `${file}.ts`)).href)),
  );
  // Modules are loaded by name, so nothing else can tell their type.
  return Object.assign({}, ...modules) as Copied;
}

async function hunt(): Promise<Hunted> {
  const { kinds, createSetting, drawScenario, runScenario } = await load();
  const kind = kinds.find(({ type }) => type.kind === kindName);
  if (kind === undefined) throw new Error(`There is no kind ${kindName}`);
  const setting = await createSetting(kind, kinds);
  for (let seed = Number(from); seed <= Number(to); seed++) {
    say({ type: 'begins', seed });
    const { findings } = await runScenario(setting, drawScenario(setting, seed));
    const [first] = findings;
    if (first !== undefined)
      return { type: 'found', kind: kindName, seed, oracle: first.oracle, message: first.message };
  }
  return { type: 'nothing', runs: Number(to) };
}

/** At once, also when the event loop never comes to its next turn. */
function say(line: HuntLine): void {
  writeSync(process.stdout.fd, `${JSON.stringify(line)}\n`);
}

say(await hunt());
