// Follows resources of an embedded API server for minutes, through a proxy, while both fail at random:
//   npm run soak -- [--minutes 10] [--seed 1]
// A line of JSON each half minute and at the end. The exit code is 0 when the stores equalled the server after every round, and
// handles and memory ended where they began.
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];

if (minutes > 0 && Number.isInteger(seed)) {
  const faults = await soak({
    minutes,
    seed,
    report: (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
  });
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} else {
  process.stderr.write('Usage: npm run soak -- [--minutes 10] [--seed 1]\n');
  process.exitCode = 2;
}
