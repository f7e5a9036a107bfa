// Measures the service beside the same operator on controller-runtime, each on a fresh real control plane, in one run:
//   npm run bench -- converge [--n 300] [--rest 20] [--subject homeostat|controller-runtime]
// One JSON line per subject, then the comparison. It needs Linux (/proc) and openssl.
import { parseArgs } from 'node:util';
import { runInstalled } from '../architecture/command.ts';
import { formatComparison } from './comparison.ts';
import { type ConvergeResult, converge } from './converge.ts';
import { ours, peer } from './subjects.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string', default: '300' },
    rest: { type: 'string', default: '20' },
    subject: { type: 'string' },
  },
});

async function main(): Promise<number> {
  const subjects = [peer, ours].filter(({ name }) => values.subject === undefined || values.subject === name);
  const [count, restSeconds] = [Number(values.n), Number(values.rest)];
  if (positionals.join(' ') !== 'converge' || subjects.length === 0 || !(count >= 1) || !(restSeconds >= 0)) {
    process.stderr.write('Usage: npm run bench -- converge [--n 300] [--rest 20] [--subject NAME]\n');
    return 2;
  }
  // What ships is measured, not the sources, which Node would have to strip of their types at each start.
  const { code, output } = await runInstalled('tsc', ['-p', 'tsconfig.build.json']);
  if (code !== 0) throw new Error(`The service does not build:\n${output}`);
  const results: ConvergeResult[] = [];
  for (const subject of subjects) {
    const result = await converge(subject, { count, restSeconds });
    process.stdout.write(`${JSON.stringify(result)}\n`);
    results.push(result);
  }
  const [theirs, own] = results;
  if (theirs !== undefined && own !== undefined) process.stdout.write(`${formatComparison(theirs, own)}\n`);
  return results.every(({ ready, n }) => ready === n) ? 0 : 1;
}

process.exitCode = await main();
