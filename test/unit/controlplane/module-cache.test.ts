import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { builtModule, type RunGo } from '../../controlplane/module-cache.ts';
import type { ProgramModule } from '../../controlplane/programs.ts';

interface Setting {
  readonly module: ProgramModule;
  readonly cacheFolder: string;
  readonly built: string[];
  readonly runGo: RunGo;
}

// A module on disk, and a Go that writes the program it is asked for.
async function setting(t: TestContext): Promise<Setting> {
  const root = await mkdtemp(join(tmpdir(), 'homeostat-cache-'));
  t.after(async () => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, 'go.mod'), 'module a');
  const module: ProgramModule = { name: 'a', folder: root, programs: { etcd: './server' }, ldflags: [], data: [] };
  const built: string[] = [];
  const runGo: RunGo = async (_folder, args) => {
    const output = args[args.indexOf('-o') + 1] ?? '';
    await writeFile(output, args.at(-1) ?? '');
    built.push(output);
    return '';
  };
  return { module, cacheFolder: join(root, 'cache'), built, runGo };
}

test('builds a module once and gives the same folder again', async (t) => {
  const { module, cacheFolder, built, runGo } = await setting(t);
  const folder = await builtModule(module, { cacheFolder, runGo });
  assert.equal(await readFile(join(folder, 'etcd'), 'utf8'), './server');
  assert.equal(await builtModule(module, { cacheFolder, runGo }), folder);
  assert.equal(built.length, 1);
});

test('gives a new folder when go.mod changes', async (t) => {
  const { module, cacheFolder, runGo } = await setting(t);
  const before = await builtModule(module, { cacheFolder, runGo });
  await writeFile(join(module.folder, 'go.mod'), 'module b');
  assert.notEqual(await builtModule(module, { cacheFolder, runGo }), before);
});

test('builds once when two ask at the same time', async (t) => {
  const { module, cacheFolder, built, runGo } = await setting(t);
  const [first, second] = await Promise.all([
    builtModule(module, { cacheFolder, runGo }),
    builtModule(module, { cacheFolder, runGo }),
  ]);
  assert.equal(first, second);
  assert.equal(built.length, 1);
});

test('leaves neither a folder nor a lock when a build fails', async (t) => {
  const { module, cacheFolder } = await setting(t);
  const runGo: RunGo = async () => Promise.reject(new Error('no such package'));
  await assert.rejects(builtModule(module, { cacheFolder, runGo }), /no such package/);
  assert.deepEqual(await readdir(cacheFolder), []);
});

test('takes over the lock of a process that is gone', async (t) => {
  const { module, cacheFolder, built, runGo } = await setting(t);
  const folder = await builtModule(module, { cacheFolder, runGo });
  await rm(folder, { recursive: true });
  // Above the highest pid that Linux gives.
  await writeFile(`${folder}.lock`, '4194305');
  assert.equal(await builtModule(module, { cacheFolder, runGo }), folder);
  assert.equal(built.length, 2);
});
