// The gate that every change passes:  npm run verify
// Each stage prints one line; what a failing stage has to say follows. The exit code is 0 when every stage is ok.
import { architectureRules, formatFinding } from './all-rules.ts';
import { type CommandOutcome, runCommand, runInstalled } from './command.ts';
import { isCaught, plants } from './planted.ts';
import { caughtByLint, lintPlants } from './planted-lint.ts';
import { readProjectTexts, toProject } from './project.ts';

/** A stage, and whether its output is shown even when it is ok. */
interface Stage {
  readonly name: string;
  readonly shown?: boolean;
  run(): Promise<CommandOutcome>;
}

const stages: readonly Stage[] = [
  { name: 'format', run: async () => runInstalled('biome', ['format', '.']) },
  { name: 'lint', run: async () => runInstalled('oxlint', ['-c', '.oxlintrc.json', '--type-aware', 'src', 'test']) },
  { name: 'types', run: async () => runInstalled('tsc', ['-p', '.']) },
  { name: 'rooms', run: rooms },
  { name: 'planted violations', shown: true, run: planted },
  { name: 'dead code', run: async () => runInstalled('knip', ['--no-progress', '--no-config-hints']) },
  {
    name: 'generated manifests',
    run: async () =>
      runCommand(process.execPath, [
        'src/main.ts',
        'manifests',
        '--out',
        'manifests',
        '--docs',
        'docs/kinds',
        '--check',
      ]),
  },
];

async function rooms(): Promise<CommandOutcome> {
  const project = toProject(await readProjectTexts());
  const lines = architectureRules.flatMap(({ name, find }) => {
    const findings = find(project);
    return findings.length === 0 ? [] : [`${name}:`, ...findings.map((finding) => `  ${formatFinding(finding)}`)];
  });
  return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') };
}

async function planted(): Promise<CommandOutcome> {
  const project = toProject(await readProjectTexts());
  const linted = await caughtByLint();
  const results = [
    ...plants.map((plant) => ({ name: plant.name, caught: isCaught(plant, project) })),
    ...lintPlants.map((plant) => ({ name: `${plant.name} (lint)`, caught: linted.includes(plant) })),
  ];
  return {
    code: results.every(({ caught }) => caught) ? 0 : 1,
    output: results.map(({ name, caught }) => `  ${caught ? 'caught' : 'MISSED'}: ${name}`).join('\n'),
  };
}

async function runStage({ name, shown, run }: Stage): Promise<boolean> {
  const start = performance.now();
  const { code, output } = await run().catch((error: unknown): CommandOutcome => ({ code: 1, output: String(error) }));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok    ' : 'failed'} ${name} (${seconds} s)\n`);
  if (output !== '' && (code !== 0 || shown === true)) process.stdout.write(`${output}\n`);
  return code === 0;
}

const results: boolean[] = [];
for (const stage of stages) results.push(await runStage(stage));
const failed = results.filter((ok) => !ok).length;
process.stdout.write(failed === 0 ? 'verified\n' : `${failed} of ${stages.length} stages failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
