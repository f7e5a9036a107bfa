import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../architecture/command.ts';
import { projectFolder } from '../architecture/project.ts';

const SIMULATE = ['src/main.ts', 'simulate', '--runs', '3'];

/** Packages that hold nothing but a Node exist for Linux on these. */
const ARCHITECTURES: readonly string[] = ['x64', 'arm64'];

const skip =
  process.platform === 'linux' && ARCHITECTURES.includes(process.arch)
    ? false
    : 'Node comes as a package on Linux only';

/** The last line that `homeostat simulate` prints. */
function digestOf(output: string): string {
  return /^Digest of all traces, .*: (?<digest>[0-9a-f]{16})$/m.exec(output)?.groups?.['digest'] ?? assert.fail(output);
}

test('one seed gives one trace on this Node and on the oldest that is supported', { skip }, async () => {
  const { engines } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const oldest = `${engines.node.replace('>=', '')}.0`;
  const node = ['exec', '--yes', `--package=node-linux-${process.arch}@${oldest}`, '--', 'node'];
  assert.equal((await runCommand('npm', [...node, '--version'])).output, `v${oldest}`);
  assert.notEqual(process.version, `v${oldest}`);
  const [here, there] = await Promise.all([
    runCommand(process.execPath, SIMULATE),
    runCommand('npm', [...node, ...SIMULATE]),
  ]);
  assert.deepEqual([here.code, there.code], [0, 0], `${here.output}\n${there.output}`);
  assert.equal(digestOf(there.output), digestOf(here.output));
});
