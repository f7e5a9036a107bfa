import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { kindFiles, kindTest } from '../../../src/cli/kind-scaffold.ts';
import { projectFolder } from '../../architecture/project.ts';
import { runCommand } from '../../architecture/command.ts';
import { commandLine, temporaryFolder } from './commands.ts';

const folder = await temporaryFolder();
const source = join(projectFolder, 'src');
const names = {
  kind: 'MessageBoard',
  singular: 'messageboard',
  value: 'messageBoard',
  plural: 'messageboards',
  group: 'example.com',
  sdk: `${source}/sdk/index.ts`,
  testkit: `${source}/testkit/index.ts`,
  folder: '.',
};

test('a new kind type-checks and passes its own test', async () => {
  const files = { ...kindFiles(names), 'messageboard.test.ts': kindTest(names) };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const config = {
    extends: join(projectFolder, 'tsconfig.json'),
    include: [folder],
    compilerOptions: { typeRoots: [join(projectFolder, 'node_modules/@types')] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const types = await runCommand(process.execPath, [
    join(projectFolder, 'node_modules/typescript/bin/tsc'),
    '-p',
    folder,
  ]);
  assert.deepEqual([types.code, types.output], [0, '']);
  const tests = await runCommand('env', [
    // A runner that finds this variable takes itself for a child of another one, and runs nothing.
    ...['-u', 'NODE_TEST_CONTEXT'],
    ...[process.execPath, '--test', join(folder, 'messageboard.test.ts')],
  ]);
  assert.equal(tests.code, 0, tests.output);
  assert.match(tests.output, /✔ leaves nothing behind wherever it is deleted/);
});

test('a name that is none is refused in one sentence', async () => {
  const { code, err } = await commandLine('new', 'kind', 'Message_Board');
  assert.deepEqual(
    [code, err],
    [2, ['error: "Message_Board" is no name of a kind: lower-case letters, digits and dashes, such as message-board']],
  );
});

test('a kind that is there already is not written over', async () => {
  const { code, err } = await commandLine('new', 'kind', 'environment');
  assert.equal(code, 1);
  assert.match(err.join('\n'), /src\/kinds\/environment\/schema\.ts is there already; nothing was written/);
  const kept = await readFile(join(projectFolder, 'src/kinds/environment/schema.ts'), 'utf8');
  assert.match(kept, /environmentSpec/);
});
