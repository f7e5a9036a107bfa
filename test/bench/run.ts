// Measures the service beside the same operator on controller-runtime, each on a fresh real control plane, in one run:
//   npm run bench -- converge [--n 300] [--rest 20] [--subject homeostat|controller-runtime]
//   npm run bench -- informer [--n 50000] [--rounds 3]
//   npm run bench -- admission [--seconds 10] [--n 5000] [--sync 50000] [--subject NAME]
//   npm run bench -- interference [--seconds 90] [--n 5000] [--sync 50000] [--subject NAME]
//   npm run bench -- shards [--n 200] [--rate 5] [--seconds 40]
//   npm run bench -- operate [--kills 5] [--deletes 200] [--n 5000] [--rate 160] [--seconds 30] [--subject NAME]
// One JSON line per subject, then the comparison. It needs Linux (/proc) and openssl.
import { parseArgs } from 'node:util';
import { runInstalled } from '../architecture/command.ts';
import { admission } from './admission.ts';
import { formatComparison } from './comparison.ts';
import { type ConvergeResult, converge } from './converge.ts';
import { informer } from './informer.ts';
import { operate } from './operate.ts';
import { shards } from './shards.ts';
import { ours, peer, type Subject } from './subjects.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string' },
    sync: { type: 'string' },
    rounds: { type: 'string' },
    rest: { type: 'string' },
    seconds: { type: 'string' },
    kills: { type: 'string' },
    deletes: { type: 'string' },
    rate: { type: 'string' },
    subject: { type: 'string' },
  },
});

const usage = `Usage: npm run bench -- converge [--n 300] [--rest 20] [--subject NAME]
       npm run bench -- informer [--n 50000] [--rounds 3]
       npm run bench -- admission [--seconds 10] [--n 5000] [--sync 50000] [--subject NAME]
       npm run bench -- interference [--seconds 90] [--n 5000] [--sync 50000] [--subject NAME]
       npm run bench -- shards [--n 200] [--rate 5] [--seconds 40]
       npm run bench -- operate [--kills 5] [--deletes 200] [--n 5000] [--rate 160] [--seconds 30] [--subject NAME]
`;

/** What can be measured, by its word on the command line; gives the exit code. */
const benches: Readonly<Record<string, (subjects: readonly Subject[]) => Promise<number>>> = {
  converge: runConverge,
  informer: runInformer,
  admission: async (subjects) => runAdmission(subjects, true),
  interference: async (subjects) => runAdmission(subjects, false),
  operate: runOperate,
  shards: runShards,
};

async function main(): Promise<number> {
  const bench = benches[positionals.join(' ')];
  const subjects = [peer, ours].filter(({ name }) => values.subject === undefined || values.subject === name);
  if (bench === undefined || subjects.length === 0) {
    process.stderr.write(usage);
    return 2;
  }
  await build();
  return bench(subjects);
}

// What ships is measured, not the sources, which Node would have to strip of their types at each start.
async function build(): Promise<void> {
  const { code, output } = await runInstalled('tsc', ['-p', 'tsconfig.build.json']);
  if (code !== 0) throw new Error(`The service does not build:\n${output}`);
}

async function runConverge(subjects: readonly Subject[]): Promise<number> {
  const options = { count: wholeNumber(values.n) ?? 300, restSeconds: wholeNumber(values.rest) ?? 20 };
  const results: ConvergeResult[] = [];
  for (const subject of subjects) {
    const result = await converge(subject, options);
    print(result);
    results.push(result);
  }
  const [theirs, own] = results;
  if (theirs !== undefined && own !== undefined) process.stdout.write(`${formatComparison(theirs, own)}\n`);
  return results.every(({ ready, n }) => ready === n) ? 0 : 1;
}

async function runAdmission(subjects: readonly Subject[], alone: boolean): Promise<number> {
  const options = {
    alone,
    seconds: wholeNumber(values.seconds) ?? (alone ? 10 : 90),
    converging: wholeNumber(values.n) ?? 5000,
    syncing: wholeNumber(values.sync) ?? 50_000,
  };
  for (const subject of subjects) await admission(subject, options, print);
  return 0;
}

async function runInformer(): Promise<number> {
  await informer(wholeNumber(values.n) ?? 50_000, wholeNumber(values.rounds) ?? 3, print);
  return 0;
}

async function runOperate(subjects: readonly Subject[]): Promise<number> {
  const options = {
    kills: wholeNumber(values.kills) ?? 5,
    deletes: wholeNumber(values.deletes) ?? 200,
    count: wholeNumber(values.n) ?? 5000,
    rate: wholeNumber(values.rate) ?? 160,
    seconds: wholeNumber(values.seconds) ?? 30,
  };
  await operate(subjects, options, print);
  return 0;
}

async function runShards(): Promise<number> {
  const options = {
    count: wholeNumber(values.n) ?? 200,
    rate: wholeNumber(values.rate) ?? 5,
    seconds: wholeNumber(values.seconds) ?? 40,
  };
  await shards(ours, options, print);
  return 0;
}

/** The number a flag holds; `undefined` when the flag was left out. */
function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`${text} is no whole number.`);
  return Number(text);
}

function print(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

process.exitCode = await main();
