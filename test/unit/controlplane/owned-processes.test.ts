import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { OwnedProcesses, REAPER_SCRIPT } from '../../controlplane/owned-processes.ts';
import { eventually } from '../../support/eventually.ts';

const source = join(import.meta.dirname, '..', '..', 'controlplane', 'owned-processes.ts');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isGone(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    () => true,
  );
}

test('keeps what a process writes and tells it in a failure', async (t) => {
  const group = await OwnedProcesses.open('homeostat-test');
  t.after(async () => rm(group.folder, { recursive: true }));
  const owned = await group.start('speaker', 'sh', ['-c', 'echo out; echo err >&2; exit 3']);
  assert.equal(await owned.exited, 3);
  await assert.rejects(
    group.whileRunning([owned], 'a miracle', async () => Promise.resolve(false)),
    /speaker ended while waiting for a miracle[^]*out\nerr/,
  );
  await group.close();
});

test('close ends the processes and leaves the folder', async (t) => {
  const group = await OwnedProcesses.open('homeostat-test');
  t.after(async () => rm(group.folder, { recursive: true }));
  const owned = await group.start('sleeper', 'sleep', ['600']);
  await group.close();
  assert.equal(isAlive(owned.pid), false);
  assert.equal(await readFile(owned.log, 'utf8'), '');
});

test('rejects when the program does not exist', async (t) => {
  const group = await OwnedProcesses.open('homeostat-test');
  t.after(async () => rm(group.folder, { recursive: true }));
  await assert.rejects(group.start('nobody', join(group.folder, 'absent'), []), /ENOENT/);
  await group.close();
});

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`ends the processes and removes the folder when their owner dies of ${signal}`, async () => {
    const script = `
      import { OwnedProcesses } from ${JSON.stringify(source)};
      const group = await OwnedProcesses.open('homeostat-test');
      const { pid } = await group.start('sleeper', 'sleep', ['600']);
      process.stdout.write(JSON.stringify({ pid, folder: group.folder }));
      setInterval(() => undefined, 60_000);
    `;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = await once(owner.stdout, 'data');
    const { pid, folder } = JSON.parse(String(chunk)) as { pid: number; folder: string };
    assert.equal(isAlive(pid), true);
    owner.kill(signal);
    await eventually('the process to end', () => !isAlive(pid));
    await eventually('the folder to go', async () => isGone(folder));
  });
}

test('the reaper leaves alone who has the number of a process that has ended', async (t) => {
  const [stranger, child] = [spawn('sleep', ['600']), spawn('sleep', ['600'])];
  t.after(() => stranger.kill('SIGKILL'));
  t.after(() => child.kill('SIGKILL'));
  const reaper = spawn('sh', ['-c', REAPER_SCRIPT, 'reaper', join(tmpdir(), 'homeostat-absent')]);
  reaper.stdin.end(`${stranger.pid}\n${child.pid}\n-${stranger.pid}\n`);
  await Promise.all([once(reaper, 'exit'), once(child, 'exit')]);
  assert.deepEqual([stranger.signalCode, child.signalCode], [null, 'SIGKILL']);
});

test('a process that has ended is taken back from the reaper', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-path-'));
  t.after(() => rm(folder, { recursive: true }));
  const heard = join(folder, 'heard');
  // Stands in for the shell that runs the reaper: it keeps what it reads.
  await writeFile(join(folder, 'sh'), `#!/bin/sh\nexec cat > '${heard}'\n`, { mode: 0o755 });
  const script = `
    import { OwnedProcesses } from ${JSON.stringify(source)};
    const group = await OwnedProcesses.open('homeostat-test');
    const owned = await group.start('short', 'true', []);
    // Neither that process nor the reaper keeps this one from its end.
    const staying = setInterval(() => undefined, 1000);
    await owned.exited;
    clearInterval(staying);
    process.stdout.write(String(owned.pid));
  `;
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder };
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => owner.kill('SIGKILL'));
  const pid = await text(owner.stdout);
  await eventually('the words', async () => (await readFile(heard, 'utf8')) === `${pid}\n-${pid}\n`);
});
