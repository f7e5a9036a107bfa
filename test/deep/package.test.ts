import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { projectFolder } from '../architecture/project.ts';
import { eventually } from '../support/eventually.ts';
import { isAsShown, readTutorial } from '../e2e/tutorial-script.ts';

const folder = await mkdtemp(join(tmpdir(), 'homeostat-package-'));
const archive = join(folder, 'homeostat-0.1.0.tgz');
const background: ChildProcess[] = [];

after(async () => {
  // npx starts the service as a child of its own; the signal is for all of them.
  for (const { pid } of background) if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  await Promise.all(background.map(async (child) => ended(child)));
  await rm(folder, { recursive: true, force: true });
});

// The runner of this file tells its children so, and a runner among them would then run nothing.
const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env;
const environment = { ...inherited, NO_COLOR: '1' };

/** What a command of a shell prints, on both streams, and its exit code. */
async function shell(command: string, cwd: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, {
    cwd,
    shell: true,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return { code: await ended(child), output };
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => void child.once('close', resolve));
}

async function succeeds(command: string, cwd: string): Promise<string> {
  const { code, output } = await shell(command, cwd);
  assert.equal(code, 0, `${command}\n${output}`);
  return output;
}

const install = (cwd: string): Promise<string> =>
  succeeds(`npm install --prefer-offline --no-audit --no-fund ${archive}`, cwd);

before(async () => {
  await succeeds(`npm pack --pack-destination ${folder}`, projectFolder);
});

test('the example installs from the package, type-checks, passes its tests and runs', async () => {
  const example = join(folder, 'widget');
  await cp(join(projectFolder, 'examples/widget'), example, { recursive: true });
  await install(example);
  await succeeds('npm run types', example);
  assert.match(await succeeds('npm test', example), /✔ leaves nothing behind wherever it is deleted/);
  const output = await succeeds('npm start -- --once', example);
  assert.match(output, /Widget default\/sample-widget {2}✓ ApplyText .*\nAll samples are Ready/);
  const manifests = await succeeds('npx node main.ts manifests', example);
  const rights = /kind: ClusterRole\n[^]*?\n---/.exec(manifests)?.[0] ?? '';
  assert.match(manifests, /name: palettes\.example\.com/);
  assert.match(manifests, /path: \/validate\/palettes\.example\.com/);
  assert.doesNotMatch(rights, /palettes\/status/);
});

test('the package holds neither tests nor sources', async () => {
  const files = await succeeds(`tar -tzf ${archive}`, folder);
  assert.doesNotMatch(files, /package\/(?:src|test)\//);
  assert.match(files, /package\/dist\/testkit\/index\.d\.ts/);
});

test('every command of the tutorial prints what the page shows', async () => {
  const place = join(folder, 'tutorial');
  await mkdir(place);
  const page = await readFile(join(projectFolder, 'docs/tutorial.md'), 'utf8');
  for (const step of readTutorial(page)) {
    if (step.type === 'file') await writeFile(join(place, step.path), step.text);
    else if (step.command === 'npm install homeostat') await install(place);
    else if (step.command.endsWith(' &')) await inBackground(step.command.slice(0, -2), place);
    else {
      const { output } = await shell(step.command, place);
      assert.ok(isAsShown(output, step.output), `$ ${step.command}\n${output}\nThe page shows:\n${step.output}`);
    }
  }
});

/** Starts a service and waits until its samples are Ready. */
async function inBackground(command: string, cwd: string): Promise<void> {
  const [program = '', ...words] = command.split(' ');
  const child = spawn(program, words, { cwd, env: environment, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  background.push(child);
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await eventually('the samples to be Ready', () => output.includes('All samples are Ready'));
}
