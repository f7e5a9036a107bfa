// Runs the named suites with Node's test runner:  node test/support/run.ts SUITE... [--name=REGEXP] [--concurrency=N]
// A suite is a folder of test/; its tests are its *.test.ts files. The exit code is 0 only when tests ran and all of them passed.
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { readEvidence, summarise } from '../e2e/evidence-summary.ts';
import { EVIDENCE_FOLDER } from '../e2e/harness-evidence.ts';

const testFolder = join(import.meta.dirname, '..');
const { positionals: suites, values } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string' }, concurrency: { type: 'string' } },
});

// Suites that start a control plane share the machine badly with each other; the rest is one process a core.
const heavy = suites.some((suite) => ['e2e', 'deep', 'fault'].includes(suite));
const concurrency = Number(values.concurrency ?? (heavy ? 1 : availableParallelism()));

async function main(): Promise<void> {
  const files = await testFiles();
  if (files.length === 0)
    return fail(`There is no test file in ${suites.map((suite) => `test/${suite}`).join(', ') || 'no suite'}.`);
  // Only all suites together can show that every right is used.
  const evidence =
    suites.includes('e2e') && values.name === undefined ? await mkdtemp(join(tmpdir(), 'evidence-')) : undefined;
  if (evidence !== undefined) process.env[EVIDENCE_FOLDER] = evidence;
  const events = run({
    files: [...files],
    concurrency,
    // As the service does without it (src/cli/engine-flags.ts).
    execArgv: ['--no-maglev'],
    timeout: heavy ? 900_000 : 180_000,
    ...(values.name === undefined ? {} : { testNamePatterns: [new RegExp(values.name)] }),
  });
  let ran = 0;
  // A file that holds no test is reported as one test that bears the file's name.
  events.on('test:pass', ({ name, skip }) => {
    if (!files.includes(name)) ran += skip === undefined ? 1 : 0;
    else if (values.name === undefined) fail(`${name} holds no test.`);
  });
  events.on('test:fail', () => void (process.exitCode = 1));
  await pipeline(events, new spec(), process.stdout, { end: false });
  if (evidence !== undefined) await compareEvidence(evidence);
  if (ran === 0) fail(`No test of ${suites.join(', ')} ran to a pass.`);
}

async function compareEvidence(folder: string): Promise<void> {
  const { figures, problems } = summarise(await readEvidence(folder));
  for (const figure of figures) process.stdout.write(`${figure}\n`);
  for (const problem of problems) fail(problem);
  await rm(folder, { recursive: true });
}

async function testFiles(): Promise<readonly string[]> {
  const files: string[] = [];
  for (const suite of suites) {
    for await (const file of glob(`${suite}/**/*.test.ts`, { cwd: testFolder })) files.push(join(testFolder, file));
  }
  return files.toSorted();
}

function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

await main();
