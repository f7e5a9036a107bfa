import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlantedFault } from './planted-fault.ts';

/** How a planted fault was noticed. */
export interface PlantedResult {
  readonly name: string;
  /** Kind that was simulated when a promise was broken, and the seed. */
  readonly kind: string;
  readonly seed: number;
  /** The promise. */
  readonly oracle: string;
  /** Simulations it took, seeds from 1 up, those of other kinds before it included. */
  readonly runs: number;
}

/** Where the results of the last run are kept. */
export const RESULTS_FILE: string = join(import.meta.dirname, 'results.json');

/** The page that shows them. */
export const PAGE: string = join(import.meta.dirname, '../../../docs/simulation.md');

const BEGIN = '<!-- planted faults: begin -->';
const END = '<!-- planted faults: end -->';

/** The results of the last run. */
export async function readResults(): Promise<readonly PlantedResult[]> {
  // This file is written by `npm run simulate:planted` alone.
  return JSON.parse(await readFile(RESULTS_FILE, 'utf8')) as readonly PlantedResult[];
}

/** Keeps the results of faults that are still planted, in their order, and shows them on the page. */
export async function writeResults(results: readonly PlantedResult[], faults: readonly PlantedFault[]): Promise<void> {
  const kept = faults.flatMap(({ name }) => results.find((result) => result.name === name) ?? []);
  await replaceFile(RESULTS_FILE, `${JSON.stringify(kept, null, 2)}\n`);
  await replaceFile(PAGE, withTable(await readFile(PAGE, 'utf8'), plantedTable(kept, faults)));
}

/** Whoever reads the file meanwhile, as another part of the run may, finds all of the old text or all of the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.${process.pid}`;
  await writeFile(next, text);
  await rename(next, path);
}

/** The page with this table between its marks. @throws when the marks are not there */
export function withTable(page: string, table: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks the marks ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${table}\n${END}${after}`;
}

/** One row for each fault that was noticed: what was planted, where, and how it showed. */
export function plantedTable(results: readonly PlantedResult[], faults: readonly PlantedFault[]): string {
  const rows = results.map(({ name, kind, seed, oracle, runs }) => {
    const files = faults.find((fault) => fault.name === name)?.edits.map(({ file }) => `\`${file}\``) ?? [];
    return `| ${name} | ${[...new Set(files)].join(', ')} | ${oracle} | ${kind} ${seed} | ${runs} |`;
  });
  return ['| fault | in src/ | promise that broke | kind and seed | runs |', '|---|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}
