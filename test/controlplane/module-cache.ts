import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProgramModule } from './programs.ts';

/** Runs Go in a folder and gives its standard output. Rejects with Go's own words, or with what to install. */
export type RunGo = (folder: string, args: readonly string[]) => Promise<string>;

/** How a module is built. */
export interface BuildOptions {
  /** Folder that all checkouts of this user share. @defaultValue `$XDG_CACHE_HOME` or `~/.cache`, `homeostat/controlplane` */
  readonly cacheFolder?: string;
  readonly runGo?: RunGo;
  /** Told what is being built and waited for. */
  readonly progress?: (line: string) => void;
}

/**
 * The folder with a module's programs, built when it is not there. Its name is a hash of the files that decide what is built;
 * it appears by one rename when it is whole, so that a reader never meets half of it.
 */
export async function builtModule(module: ProgramModule, options: BuildOptions = {}): Promise<string> {
  const { cacheFolder = defaultCacheFolder(), runGo = go, progress = () => undefined } = options;
  const folder = join(cacheFolder, `${module.name}-${await moduleHash(module)}`);
  if (await exists(folder)) return folder;
  await mkdir(cacheFolder, { recursive: true });
  await withLock(`${folder}.lock`, progress, async () => {
    if (await exists(folder)) return;
    const unfinished = `${folder}.${process.pid}`;
    await mkdir(unfinished);
    try {
      await build(module, unfinished, runGo, progress);
      await rename(unfinished, folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  });
  return folder;
}

async function build(
  module: ProgramModule,
  into: string,
  runGo: RunGo,
  progress: (line: string) => void,
): Promise<void> {
  const ldflags = ['-s', '-w', ...module.ldflags].join(' ');
  for (const [program, target] of Object.entries(module.programs)) {
    progress(`building ${program}`);
    const output = join(into, program);
    await runGo(module.folder, ['build', '-trimpath', '-buildvcs=false', '-ldflags', ldflags, '-o', output, target]);
  }
  for (const { module: required, folder, as } of module.data) {
    const source = (await runGo(module.folder, ['list', '-m', '-f', '{{.Dir}}', required])).trim();
    await cp(join(source, folder), join(into, as), { recursive: true });
  }
}

function defaultCacheFolder(): string {
  const configured = process.env['XDG_CACHE_HOME'];
  return join(
    configured === undefined || configured === '' ? join(homedir(), '.cache') : configured,
    'homeostat',
    'controlplane',
  );
}

async function moduleHash(module: ProgramModule): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([module.programs, module.ldflags, module.data]));
  for (const file of ['go.mod', 'go.sum', 'main.go']) {
    const text = await readFile(join(module.folder, file)).catch(() => undefined);
    if (text !== undefined) hash.update(`\0${file}\0`).update(text);
  }
  return hash.digest('hex').slice(0, 16);
}

// The lock only saves work: were two builders ever to hold it, each would still move a whole folder into place.
async function withLock(file: string, progress: (line: string) => void, work: () => Promise<void>): Promise<void> {
  for (let waiting = false; !(await taken(file)); waiting = true) {
    const holder = Number(await readFile(file, 'utf8').catch(() => ''));
    if (holder !== 0 && !isAlive(holder)) await rm(file, { force: true });
    else {
      if (!waiting) progress(`waiting for process ${holder}, which builds the same (lock ${file})`);
      await delay(200);
    }
  }
  try {
    await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function taken(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const go: RunGo = async (folder, args) =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: `${process.env['GOFLAGS'] ?? ''} -mod=readonly`.trim() };
    const child = spawn('go', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => void (complaint += chunk.toString()));
    child.on('error', (cause) =>
      reject(
        new Error(
          'Go is not installed, and the test control plane must be built. Install Go 1.26 or later, or set KUBEBUILDER_ASSETS to a folder with the programs.',
          { cause },
        ),
      ),
    );
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`go ${args.join(' ')} failed in ${folder}:\n${complaint}`)),
    );
  });
