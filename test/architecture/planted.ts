import { architectureRules } from './all-rules.ts';
import { type Project, toProject } from './project.ts';

/** A violation put into the real sources, in memory, to see that its rule catches it. */
export interface Plant {
  readonly name: string;
  /** Name of the rule that must catch it. */
  readonly rule: string;
  /** File whose finding is expected. */
  readonly path: string;
  /** Texts that are added or replaced; null removes. */
  readonly texts: Readonly<Record<string, string | null>>;
}

function oneFile(name: string, rule: string, path: string, text: string): Plant {
  return { name, rule, path, texts: { [path]: text } };
}

const doc = '/** Planted. */\n';

/** One violation or more of each rule. */
export const plants: readonly Plant[] = [
  oneFile(
    'an import upward',
    'imports point only downward',
    'src/base/planted.ts',
    `import { listen } from '../admission/server.ts';\n${doc}export const planted = listen;\n`,
  ),
  oneFile(
    'a type import between rooms of one tier',
    'imports point only downward',
    'src/rules/planted.ts',
    `import type { Structural } from '../schema/structural.ts';\n${doc}export type Planted = Structural;\n`,
  ),
  oneFile(
    'an import of test code',
    'imports point only downward',
    'src/base/planted.ts',
    `import { FakeClock } from '../../test/support/fake-clock.ts';\n${doc}export const planted = FakeClock;\n`,
  ),
  oneFile(
    'an import of the inside of another kind',
    'a kind is imported through its index',
    'src/kinds/teamconfig/planted.ts',
    `import { environmentSteps } from '../environment/steps.ts';\n${doc}export const planted = environmentSteps;\n`,
  ),
  oneFile(
    'a package in a room that does not own it',
    'packages and sockets are used by their owners alone',
    'src/steps/planted.ts',
    `import fastify from 'fastify';\n${doc}export const planted = fastify;\n`,
  ),
  oneFile(
    'a package that nobody owns',
    'packages and sockets are used by their owners alone',
    'src/kube/planted.ts',
    `${doc}export const planted = async () => import('left-pad');\n`,
  ),
  oneFile(
    'a socket in a room without sockets',
    'packages and sockets are used by their owners alone',
    'src/rules/planted.ts',
    `import { connect } from 'node:net';\n${doc}export const planted = connect;\n`,
  ),
  {
    name: 'a cycle between two files',
    rule: 'no file imports itself in a circle',
    path: 'src/base/planted-a.ts',
    texts: {
      'src/base/planted-a.ts': `import type { B } from './planted-b.ts';\n${doc}export interface A { readonly b?: B }\n`,
      'src/base/planted-b.ts': `import type { A } from './planted-a.ts';\n${doc}export interface B { readonly a?: A }\n`,
    },
  },
  {
    name: 'the embedded API server within reach of run',
    rule: 'the production graph holds no test code',
    path: 'src/cli/planted.ts',
    texts: {
      'src/cli/run.ts': `${doc}export const run = async () => import('./planted.ts');\n`,
      'src/cli/planted.ts': `${doc}export { start } from '../devcluster/planted.ts';\n`,
    },
  },
  {
    name: 'a room without README',
    rule: 'every room and kind has a short README',
    path: 'src/base/README.md',
    texts: { 'src/base/README.md': null },
  },
  {
    name: 'a README that is too long',
    rule: 'every room and kind has a short README',
    path: 'src/base/README.md',
    texts: { 'src/base/README.md': 'line\n'.repeat(16) },
  },
  oneFile('a file of 301 lines', 'files are short and well named', 'src/base/planted.ts', '// line\n'.repeat(301)),
  oneFile('a file called utils', 'files are short and well named', 'src/base/utils.ts', ''),
  oneFile(
    'an export without a doc comment',
    'every exported symbol has a doc comment',
    'src/base/planted.ts',
    'export const planted = 1;\n',
  ),
  oneFile(
    'a default export',
    'exports are named and direct',
    'src/base/planted.ts',
    `${doc}export default class Planted {}\n`,
  ),
  oneFile(
    'the type any',
    'no escape from the type checker',
    'src/base/planted.ts',
    `${doc}export const planted = (value: any) => value;\n`,
  ),
  oneFile(
    'a non-null assertion',
    'no escape from the type checker',
    'src/base/planted.ts',
    `${doc}export const planted = (value?: string) => value!.length;\n`,
  ),
  oneFile(
    'a check switched off',
    'no escape from the type checker',
    'src/base/planted.ts',
    `// @ts-expect-error planted\n${doc}export const planted: number = '';\n`,
  ),
  oneFile(
    'a cast without a reason',
    'every cast has a reason',
    'src/base/planted.ts',
    `${doc}export const planted = [\n\n\n\n  JSON.parse('1') as number];\n`,
  ),
  ...(
    [
      ['the wall clock', 'Date.now()'],
      ['a date of now', 'new Date()'],
      ['a timer', 'setTimeout(() => undefined, 5)'],
      ['chance', 'Math.random()'],
      ['the environment', "process.env['HOME']"],
    ] as const
  ).map(([name, expression]) =>
    oneFile(
      name,
      'time, chance and environment come in through ports',
      'src/steps/planted.ts',
      `${doc}export const planted = () => \`\${${expression}}\`;\n`,
    ),
  ),
  oneFile('a thing to do later', 'nothing is left unfinished', 'src/base/planted.ts', '// TODO more\n'),
  oneFile(
    'an error code without documentation',
    'docs/errors.md lists exactly the codes in use',
    'src/base/planted.ts',
    `${doc}export const planted = 'HOMEOSTAT_PLANTED';\n`,
  ),
];

/** Whether the plant's rule finds it where it was planted, and nothing there without it. */
export function isCaught(plant: Plant, project: Project): boolean {
  const texts = new Map(project.texts);
  for (const [path, text] of Object.entries(plant.texts)) {
    if (text === null) texts.delete(path);
    else texts.set(path, text);
  }
  const rule = architectureRules.find(({ name }) => name === plant.rule);
  const isFoundIn = (given: Project): boolean => rule?.find(given).some(({ path }) => path === plant.path) === true;
  return isFoundIn(toProject(texts, project)) && !isFoundIn(project);
}
