import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../src/base/json.ts';
import type { Manifest } from '../../src/base/object.ts';
import { type BackupReport, readBackupReport } from '../../src/base/backup-report.ts';
import { KindRunner } from '../../src/testkit/kind-runner.ts';
import { TestCluster } from '../../src/testkit/test-cluster.ts';
import { kinds } from '../../src/kinds/index.ts';
import { CRON_JOBS } from '../../src/kube/well-known.ts';
import { projectFolder } from '../architecture/project.ts';

/** How a container ended. */
export interface ContainerEnd {
  readonly code: number | null;
  readonly output: string;
}

interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

/** Folders of the containers, as the manifests mount them. */
const MOUNTS = ['/backup', '/credentials', '/private', '/volume', '/dev/termination-log'];

/** The Pod of a DatabaseBackup's CronJob, as the controller makes it, run as processes of this machine. */
export class BackupPod {
  readonly #folder: string;
  readonly #dump: Container;
  readonly #store: Container;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(
    folder: string,
    spec: { readonly dump: Container; readonly store: Container },
    environment: NodeJS.ProcessEnv,
  ) {
    this.#folder = folder;
    this.#dump = spec.dump;
    this.#store = spec.store;
    this.#environment = environment;
  }

  /** Lets the controller make the CronJob of a DatabaseBackup and takes its Pod. Secrets are given as files and environment. */
  static async of(
    backup: Manifest,
    {
      folder,
      secret,
      environment,
    }: { readonly folder: string; readonly secret: object; readonly environment: NodeJS.ProcessEnv },
  ): Promise<BackupPod> {
    const kind = kinds.find(({ type }) => type.kind === backup.kind);
    if (kind === undefined) throw new Error(`No kind ${backup.kind}`);
    const { name, namespace = '' } = backup.metadata;
    const cluster = await TestCluster.create(kinds);
    await cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await cluster.put(backup);
    await new KindRunner(kind, cluster).settle({ namespace, name });
    const { signal } = new AbortController();
    const cronJob = await cluster.client.get(CRON_JOBS, { namespace, name: `backup-${name}` }, { signal });
    const pod = at(cronJob, 'spec', 'jobTemplate', 'spec', 'template', 'spec') as {
      initContainers: Container[];
      containers: Container[];
    };
    const [dump, store] = [pod.initContainers[0], pod.containers[0]];
    if (dump === undefined || store === undefined) throw new Error('The Pod lacks a container');
    const root = await mkdtemp(join(folder, 'pod-'));
    await mkdir(join(root, 'volume'));
    for (const [key, value] of Object.entries(secret)) {
      await mkdir(join(root, 'credentials'), { recursive: true });
      await writeFile(join(root, 'credentials', key), String(value));
    }
    return new BackupPod(root, { dump, store }, environment);
  }

  /** The folder that stands for the mount of a volume. */
  get volume(): string {
    return join(this.#folder, 'volume');
  }

  /** Runs the container `dump` in fresh folders. */
  async dump(): Promise<ContainerEnd> {
    for (const name of ['backup', 'private']) {
      await rm(join(this.#folder, name), { recursive: true, force: true });
      await mkdir(join(this.#folder, name));
    }
    const [program = '', ...args] = this.#dump.command ?? [];
    return this.#run(program, args, this.#dump);
  }

  /** Makes the dump look as old as this. */
  async age(days: number): Promise<void> {
    const file = join(this.#folder, 'backup', 'started');
    const seconds = Number(await readFile(file, 'utf8')) - days * 86_400;
    await writeFile(file, `${seconds}\n`);
  }

  /** Runs the container `store`, its arguments through another task where one is named. */
  async store(task: readonly string[] = [], more: readonly string[] = []): Promise<ContainerEnd> {
    return this.#run('npx', this.#storeArguments(task, more), this.#store);
  }

  /** Starts the container `store` and kills it when `when` resolves. */
  async killStore(when: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const child = spawn(process.execPath, this.#storeArguments([], []).slice(1), this.#options(this.#store));
    const ended = new AbortController();
    const exited = new Promise<void>((resolve) => child.once('exit', () => (ended.abort(), resolve())));
    await when(ended.signal);
    child.kill('SIGKILL');
    await exited;
  }

  /** What the container told its controller. */
  async report(): Promise<BackupReport> {
    return readBackupReport(await readFile(join(this.#folder, 'termination-log'), 'utf8'));
  }

  /** Keeps the dump that was made, for later runs. */
  async keepDump(): Promise<string> {
    const kept = join(this.#folder, 'kept');
    await cp(join(this.#folder, 'backup'), kept, { recursive: true });
    return kept;
  }

  #storeArguments(task: readonly string[], more: readonly string[]): string[] {
    const given = this.#store.args ?? [];
    const place = given.filter((word) => /^--(store|folder|region|endpoint|path-style|no-path-style)/.test(word));
    const words = task.length === 0 ? given : ['store', ...task, ...place];
    return ['node', join(projectFolder, 'src/main.ts'), ...words.map((word) => this.#mapped(word)), ...more];
  }

  #run(program: string, args: readonly string[], container: Container): Promise<ContainerEnd> {
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, this.#options(container));
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => void (output += chunk.toString()));
      child.stderr?.on('data', (chunk: Buffer) => void (output += chunk.toString()));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, output }));
    });
  }

  #options({ env }: Container): { cwd: string; env: NodeJS.ProcessEnv; stdio: ['ignore', 'pipe', 'pipe'] } {
    const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, this.#mapped(value)] as const]));
    const path = { PATH: process.env['PATH'], JOB_NAME: 'backup-orders-1' };
    const all = { ...path, ...this.#environment, ...Object.fromEntries(own) };
    // A shell whose input is a socket takes itself for one that was called from afar, and reads more files.
    return { cwd: projectFolder, env: all, stdio: ['ignore', 'pipe', 'pipe'] };
  }

  #mapped(text: string): string {
    const mount = MOUNTS.find((known) => new RegExp(`(^|[=/]/?)${known}(/|$)`).test(text));
    if (mount === undefined) return text;
    const place = mount === '/dev/termination-log' ? join(this.#folder, 'termination-log') : join(this.#folder, mount);
    return text.replace(mount, place);
  }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((member, name) => (isRecord(member) ? member[name] : undefined), value);
}
