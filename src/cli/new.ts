import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FlagTable, parseArguments, UsageError } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { CommandContext } from './command.ts';
import { kindFiles, kindTest, type ScaffoldNames } from './kind-scaffold.ts';

const FLAGS = {
  group: {
    type: 'text',
    placeholder: 'GROUP',
    default: 'example.com',
    description: 'API group: a domain of yours',
  },
  plural: { type: 'text', placeholder: 'WORD', description: 'Plural of the name, where an s is not enough' },
} as const satisfies FlagTable;

/** Help of `homeostat new`. */
export function usage(): string {
  return [
    'Usage: homeostat new kind NAME [flags]',
    '',
    'Writes the folder of a kind that works, for you to change: schema, rules, steps, status, index, README and a test.',
    'NAME is lower-case with dashes: greeting, message-board.',
    '',
    flagHelp(FLAGS),
  ].join('\n');
}

/** `homeostat new kind NAME`: writes files, never over others, and says which line to add. */
export async function command({ argv, env, terminal }: CommandContext): Promise<number> {
  const { flags, words } = parseArguments(FLAGS, argv, env);
  const [what, singular, ...more] = words;
  if (what !== 'kind' || singular === undefined || more.length > 0)
    throw new UsageError('Say: homeostat new kind NAME');
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(singular)) {
    throw new UsageError(
      `"${singular}" is no name of a kind: lower-case letters, digits and dashes, such as message-board`,
    );
  }
  const place = await placeOf(singular);
  const value = singular.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  const word = singular.replaceAll('-', '');
  const names: ScaffoldNames = {
    kind: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
    singular: word,
    value,
    plural: flags.plural ?? `${word}s`,
    group: flags.group,
    ...place,
  };
  const files = Object.entries(kindFiles(names)).map(([name, text]) => [join(place.path, name), text] as const);
  await write([...files, [place.test, kindTest(names)]]);
  for (const [path] of files) terminal.out(`  ${path}`);
  terminal.out(`  ${place.test}`);
  terminal.out(`Now add the kind to ${place.registry}:`);
  terminal.out(`  import { ${value}Kind } from '${place.registered}';   and ${value}Kind to the list of kinds`);
  return 0;
}

interface Place extends Pick<ScaffoldNames, 'sdk' | 'testkit' | 'folder'> {
  readonly path: string;
  readonly test: string;
  /** The file that lists the kinds, and how it spells the new one. */
  readonly registry: string;
  readonly registered: string;
}

/** Within this project a kind lies beside the others; elsewhere it imports the package. */
async function placeOf(singular: string): Promise<Place> {
  const text = await readFile('package.json', 'utf8').catch(() => '{}');
  const manifest: unknown = JSON.parse(text);
  if (isRecord(manifest) && manifest['name'] === 'homeostat') {
    return {
      path: `src/kinds/${singular}`,
      test: `test/unit/kinds/${singular}.test.ts`,
      sdk: '../../sdk/index.ts',
      testkit: '../../../src/testkit/index.ts',
      folder: `../../../src/kinds/${singular}`,
      registry: 'src/kinds/index.ts',
      registered: `./${singular}/index.ts`,
    };
  }
  return {
    path: `kinds/${singular}`,
    test: `kinds/${singular}/${singular}.test.ts`,
    sdk: 'homeostat',
    testkit: 'homeostat/testkit',
    folder: '.',
    registry: 'the file that calls runCli',
    registered: `./kinds/${singular}/index.ts`,
  };
}

async function write(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  for (const [path] of files) {
    const taken = await access(path).then(
      () => true,
      () => false,
    );
    if (taken) throw new HomeostatError('HOMEOSTAT_FILE_EXISTS', `${path} is there already; nothing was written`);
  }
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
