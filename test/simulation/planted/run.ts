// Plants each fault in a copy of the sources and simulates until it is noticed:  node test/simulation/planted/run.ts [--runs N] [--only REGEXP] [--part 1/2] [--rest]
// --part takes one of so many parts, so that several processes can share the work. --rest leaves out what has been noticed before. Without --only the sources as they are must break no promise over the same seeds. The results go into results.json and docs/simulation.md.
import { parseArgs } from 'node:util';
import { hunt } from './hunt.ts';
import { PatchedCopy } from './patched-copy.ts';
import type { PlantedFault } from './planted-fault.ts';
import { plantedFaults } from './planted-faults.ts';
import { type PlantedResult, readResults, writeResults } from './planted-results.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    rest: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const [part = 1, parts = 1] = values.part.split('/').map(Number);

async function main(): Promise<void> {
  const known = new Set(values.rest ? (await readResults()).map(({ name }) => name) : []);
  const faults = plantedFaults
    .filter((_fault, index) => index % parts === part - 1)
    .filter(({ name }) => new RegExp(values.only, 'u').test(name) && !known.has(name));
  const copy = await PatchedCopy.make();
  try {
    for (const [index, fault] of faults.entries()) {
      const result = await copy.with(fault, () => noticed(copy.folder, fault));
      say(`${index + 1}/${faults.length} ${fault.name}: ${result === undefined ? 'NOT noticed' : described(result)}`);
      if (result === undefined) process.exitCode = 1;
      const others = (await readResults()).filter(({ name }) => name !== fault.name);
      await writeResults([...others, ...(result === undefined ? [] : [result])], plantedFaults);
    }
    if (values.only === '' && parts === 1) await proveUnplanted(copy.folder);
  } finally {
    await copy.remove();
  }
}

async function noticed(folder: string, { name, subjects }: PlantedFault): Promise<PlantedResult | undefined> {
  for (const [index, subject] of subjects.entries()) {
    const hunted = await hunt({ folder, kind: subject, runs }).catch((error: unknown) => {
      say(`  ${error instanceof Error ? error.message : String(error)}`);
      return { type: 'nothing' } as const;
    });
    if (hunted.type === 'nothing') continue;
    const { kind, seed, oracle } = hunted;
    return { name, kind, seed, oracle, runs: index * runs + seed };
  }
  return undefined;
}

/** The same seeds break nothing where nothing is planted: what was noticed was the fault. */
async function proveUnplanted(folder: string): Promise<void> {
  const results = await readResults();
  for (const [kind, found] of Map.groupBy(results, (result) => result.kind)) {
    const last = Math.max(...found.map(({ seed }) => seed));
    const hunted = await hunt({ folder, kind, runs: last });
    const word = hunted.type === 'nothing' ? 'no promise is broken' : `seed ${hunted.seed} breaks: ${hunted.message}`;
    say(`Nothing planted, ${kind}, seeds 1 to ${last}: ${word}`);
    if (hunted.type === 'found') process.exitCode = 1;
  }
}

function described({ oracle, kind, seed, runs: taken }: PlantedResult): string {
  return `"${oracle}" is broken by ${kind}, seed ${seed}, after ${taken} runs`;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

await main();
