import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInstalled } from './command.ts';
import { projectFolder } from './project.ts';

/** A violation that the linter must catch. */
export interface LintPlant {
  readonly name: string;
  /** Rule that must name it. */
  readonly rule: string;
  readonly text: string;
}

/** One violation of each rule that the design leans on. */
export const lintPlants: readonly LintPlant[] = [
  {
    name: 'a promise that nobody awaits',
    rule: 'no-floating-promises',
    text: 'export function planted(): void {\n  Promise.resolve(1);\n}\n',
  },
  {
    name: 'a switch that forgets a case',
    rule: 'switch-exhaustiveness-check',
    text: "export function planted(v: 'a' | 'b'): void {\n  switch (v) {\n    case 'a':\n      return;\n  }\n}\n",
  },
  { name: 'the type any', rule: 'no-explicit-any', text: 'export const planted = (v: any): void => void v;\n' },
  {
    name: 'a non-null assertion',
    rule: 'no-non-null-assertion',
    text: 'export const planted = (v?: string): number => v!.length;\n',
  },
  {
    name: 'a fifth parameter',
    rule: 'max-params',
    text: 'export const planted = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n',
  },
  {
    name: 'a function of 61 lines',
    rule: 'max-lines-per-function',
    text: `export function planted(): void {\n${'  void 0;\n'.repeat(60)}}\n`,
  },
  {
    name: 'a truth that is only implied',
    rule: 'strict-boolean-expressions',
    text: "export const planted = (v?: string): string => (v ? v : '');\n",
  },
];

/** The plants that the linter catches, linted with the project's own rules in a folder of their own. */
export async function caughtByLint(): Promise<readonly LintPlant[]> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-planted-'));
  try {
    const config = { extends: join(projectFolder, 'tsconfig.json'), compilerOptions: { types: [] }, include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    for (const [index, { text }] of lintPlants.entries()) await writeFile(join(folder, `p${index}.ts`), text);
    const rules = join(projectFolder, '.oxlintrc.json');
    const { output } = await runInstalled('oxlint', ['-c', rules, '--type-aware', '-f', 'unix', folder]);
    const lines = output.split('\n');
    return lintPlants.filter(({ rule }, index) =>
      lines.some((line) => line.includes(`p${index}.ts:`) && line.includes(`(${rule})`)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
