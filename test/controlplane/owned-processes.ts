import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';

/** How a process is started. */
export interface ProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** One process of a group. */
export interface OwnedProcess {
  readonly name: string;
  readonly pid: number;
  /** File that holds what it wrote to both outputs. */
  readonly log: string;
  /** Settles with the exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** The signal that ended it; null while it runs, and when it ended by itself. */
  endedBy(): NodeJS.Signals | null;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/**
 * A shell script that reads pids until its input closes, which happens however the writer ends, SIGKILL included; then it kills them
 * and removes the folder of its first argument. `-PID` takes one back: a process that has ended leaves its number to a stranger.
 * `done` ends it without a kill.
 */
export const REAPER_SCRIPT = `
pids=
while read -r word; do
  case $word in
    done) exit 0 ;;
    -*)
      left=
      for pid in $pids; do [ "-$pid" = "$word" ] || left="$left $pid"; done
      pids=$left
      ;;
    *) pids="$pids $word" ;;
  esac
done
kill -9 $pids 2>/dev/null
rm -rf "$1"
`;

/**
 * Child processes that share one fresh folder and never outlive this process: a reaper outside the terminal's process group
 * ends them and removes the folder when this process is gone, however it went.
 */
export class OwnedProcesses {
  readonly folder: string;
  readonly #reaper: ChildProcess;
  readonly #children = new Map<OwnedProcess, ChildProcess>();
  readonly #checks: (() => Promise<void>)[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    this.#reaper = spawn('sh', ['-c', REAPER_SCRIPT, 'reaper', folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // A reaper that was killed reads nothing any more; what it was to end is ended by `close`.
    this.#reaper.stdin?.on('error', () => undefined);
    this.#reaper.unref();
  }

  /** Opens a group with a folder of its own under the system's temporary folder. */
  static async open(prefix: string): Promise<OwnedProcesses> {
    return new OwnedProcesses(await mkdtemp(join(tmpdir(), `${prefix}-`)));
  }

  /** Starts a program; its outputs go to `<name>.log` in the folder. Rejects when the program cannot be started. */
  async start(
    name: string,
    program: string,
    args: readonly string[],
    options: ProcessOptions = {},
  ): Promise<OwnedProcess> {
    const log = join(this.folder, `${name}.log`);
    const output = await open(log, 'a');
    const child = spawn(program, args, { ...options, stdio: ['ignore', output.fd, output.fd] });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    try {
      await once(child, 'spawn');
    } finally {
      await output.close();
    }
    const pid = child.pid;
    if (pid === undefined) throw new Error(`${program} did not start.`);
    this.#tellReaper(`${pid}`);
    void exited.then(() => this.#tellReaper(`-${pid}`));
    child.unref();
    const owned: OwnedProcess = {
      name,
      pid,
      log,
      exited,
      endedBy: () => child.signalCode,
      isRunning: () => child.exitCode === null && child.signalCode === null,
      signal: (signal) => void child.kill(signal),
    };
    this.#children.set(owned, child);
    return owned;
  }

  /**
   * Waits until `probe` gives a value other than false. Rejects with the end of the logs when one of the processes ends before,
   * or after two minutes.
   */
  async whileRunning<T>(processes: readonly OwnedProcess[], what: string, probe: () => Promise<T | false>): Promise<T> {
    const result = await eventually<{ readonly value: T } | { readonly ended: OwnedProcess }>(
      what,
      async () => {
        const ended = processes.find((owned) => !owned.isRunning());
        if (ended !== undefined) return { ended };
        const value = await probe();
        return value !== false && { value };
      },
      { timeoutMs: 120_000, details: () => this.logs() },
    );
    if ('value' in result) return result.value;
    throw new Error(`${result.ended.name} ended while waiting for ${what}\n${await this.logs()}`);
  }

  /** Asks a process to end and waits until it has; after `graceMs` it is killed. */
  async stop(owned: OwnedProcess, graceMs = 20_000): Promise<number | null> {
    const child = this.#children.get(owned);
    if (child === undefined || !owned.isRunning()) return owned.exited;
    child.ref();
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    try {
      return await owned.exited;
    } finally {
      clearTimeout(killer);
    }
  }

  /** Removes the folder, unless `HOMEOSTAT_KEEP` is set. */
  async removeFolder(): Promise<void> {
    if (process.env['HOMEOSTAT_KEEP'] === undefined) await rm(this.folder, { recursive: true, force: true });
  }

  /** Has something looked at after every process has ended, before the folder goes. */
  whenClosed(check: () => Promise<void>): void {
    this.#checks.push(check);
  }

  /** Ends every process, the youngest first. The folder stays. Rejects with what the first check found. */
  async close(): Promise<void> {
    for (const owned of [...this.#children.keys()].toReversed()) await this.stop(owned);
    this.#tellReaper('done');
    this.#reaper.stdin?.end();
    for (const check of this.#checks.splice(0)) await check();
  }

  #tellReaper(word: string): void {
    const { stdin } = this.#reaper;
    if (stdin?.writable === true) stdin.write(`${word}\n`);
  }

  /** The last lines that each process wrote, for the message of a failure. */
  async logs(lines = 20): Promise<string> {
    const parts: string[] = [];
    for (const { name, log } of this.#children.keys()) {
      const text = await readFile(log, 'utf8').catch(() => '');
      parts.push(`--- ${name} (${log})\n${text.trimEnd().split('\n').slice(-lines).join('\n')}`);
    }
    return parts.join('\n');
  }
}
