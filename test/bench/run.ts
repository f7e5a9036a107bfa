// Measures the service beside the same operator on controller-runtime, each on a fresh real control plane, in one run:
//   npm run bench -- converge [--n 300] [--rest 20] [--subject homeostat|controller-runtime]
//   npm run bench -- informer [--n 50000] [--rounds 3]
//   npm run bench -- admission [--seconds 10] [--n 5000] [--sync 50000] [--subject NAME]
//   npm run bench -- interference [--seconds 90] [--n 5000] [--sync 50000] [--subject NAME]
// One JSON line per subject, then the comparison. It needs Linux (/proc) and openssl.
import { parseArgs } from 'node:util';
import { runInstalled } from '../architecture/command.ts';
import { admission } from './admission.ts';
import { formatComparison } from './comparison.ts';
import { type ConvergeOptions, type ConvergeResult, converge } from './converge.ts';
import { informer } from './informer.ts';
import { ours, peer, type Subject } from './subjects.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string' },
    sync: { type: 'string' },
    rounds: { type: 'string' },
    rest: { type: 'string' },
    seconds: { type: 'string' },
    subject: { type: 'string' },
  },
});

const usage = `Usage: npm run bench -- converge [--n 300] [--rest 20] [--subject NAME]
       npm run bench -- informer [--n 50000] [--rounds 3]
       npm run bench -- admission [--seconds 10] [--n 5000] [--sync 50000] [--subject NAME]
       npm run bench -- interference [--seconds 90] [--n 5000] [--sync 50000] [--subject NAME]
`;

async function main(): Promise<number> {
  const what = positionals.join(' ');
  const [n, rest, rounds] = [values.n, values.rest, values.rounds].map(wholeNumber);
  const subjects = [peer, ours].filter(({ name }) => values.subject === undefined || values.subject === name);
  if (what === 'converge' && subjects.length > 0) {
    await build();
    return runConverge(subjects, { count: n ?? 300, restSeconds: rest ?? 20 });
  }
  if (what === 'informer') {
    await build();
    await informer(n ?? 50_000, rounds ?? 3, print);
    return 0;
  }
  if ((what === 'admission' || what === 'interference') && subjects.length > 0) {
    await build();
    await runAdmission(subjects, what === 'admission');
    return 0;
  }
  process.stderr.write(usage);
  return 2;
}

// What ships is measured, not the sources, which Node would have to strip of their types at each start.
async function build(): Promise<void> {
  const { code, output } = await runInstalled('tsc', ['-p', 'tsconfig.build.json']);
  if (code !== 0) throw new Error(`The service does not build:\n${output}`);
}

async function runConverge(subjects: readonly Subject[], options: ConvergeOptions): Promise<number> {
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

async function runAdmission(subjects: readonly Subject[], alone: boolean): Promise<void> {
  const options = {
    alone,
    seconds: wholeNumber(values.seconds) ?? (alone ? 10 : 90),
    converging: wholeNumber(values.n) ?? 5000,
    syncing: wholeNumber(values.sync) ?? 50_000,
  };
  for (const subject of subjects) await admission(subject, options, print);
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
