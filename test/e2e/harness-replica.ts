import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import type { OwnedProcess, OwnedProcesses } from '../controlplane/owned-processes.ts';
import { eventually } from '../support/eventually.ts';
import { checkLog, type LogRecord, readLog } from './harness-log.ts';
import type { Endpoint } from './harness-service.ts';

/** How a replica is started. */
export interface ReplicaOptions {
  readonly name: string;
  /** Arguments for Node: the entry and the command line. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly webhookPort: number;
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Whether reviews are sent to it. @defaultValue true */
  readonly serves?: boolean;
  /** Bearer token of somebody who may read the metrics; absent where they are for everybody. */
  readonly scrapeToken?: string;
}

const probePeriodMs = 100;

/** Failed probes in a row that take a replica out of the Service, as in the generated Deployment. */
const failureThreshold = 2;

/** One running service, probed as the kubelet would: an endpoint of the Service while it says that it is ready. */
export class Replica implements Endpoint {
  readonly name: string;
  readonly port: number;
  readonly healthPort: number;
  readonly #metricsPort: number;
  readonly #scrapeToken: string | undefined;
  /** Whether it is an endpoint of the Service while it is ready. */
  readonly serves: boolean;
  readonly process: OwnedProcess;
  readonly #group: OwnedProcesses;
  readonly #probe: NodeJS.Timeout;
  #ready = false;
  #failedProbes = 0;
  #probing = false;
  #leaving = false;
  #lapses: readonly string[] = [];

  private constructor(group: OwnedProcesses, owned: OwnedProcess, options: ReplicaOptions) {
    this.serves = options.serves ?? true;
    this.#group = group;
    this.process = owned;
    this.name = options.name;
    this.port = options.webhookPort;
    this.healthPort = options.healthPort;
    this.#metricsPort = options.metricsPort;
    this.#scrapeToken = options.scrapeToken;
    this.#probe = setInterval(() => void this.#look(), probePeriodMs).unref();
  }

  /** Starts the service and its probe. When its group closes, its log is held to be strict JSON to the last line. */
  static async start(group: OwnedProcesses, options: ReplicaOptions): Promise<Replica> {
    const { name, args, env } = options;
    const owned = await group.start(name, process.execPath, args, { env });
    group.whenClosed(async () => {
      const lines = await checkLog(owned.log, (await owned.exited) === null);
      process.stdout.write(`${name}: ${lines} log lines, all strict JSON\n`);
    });
    return new Replica(group, owned, options);
  }

  isReady(): boolean {
    return this.#ready && !this.#leaving && this.process.isRunning();
  }

  /** Waits until the replica is ready. Rejects with its last words when it ends before. */
  async ready(): Promise<void> {
    await this.#group.whileRunning([this.process], `${this.name} to be ready`, async () =>
      Promise.resolve(this.isReady()),
    );
  }

  /** Answer to a probe. */
  async get(path: string): Promise<Answered> {
    return answered((take) => request({ ...here, port: this.healthPort, path }, take));
  }

  /** Answer to a scrape of the metrics with a bearer token; `''` sends none. */
  async scrape(token: string | undefined = this.#scrapeToken): Promise<Answered> {
    const target = { ...here, port: this.#metricsPort, path: '/metrics' };
    if (token === undefined) return answered((take) => request(target, take));
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    return answered((take) => secureRequest({ ...target, headers, rejectUnauthorized: false }, take));
  }

  /** Value of a metric's sample, by its name and labels as they are printed; 0 when there is none. */
  async metric(sample: string): Promise<number> {
    const { text } = await this.scrape();
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  }

  /**
   * Takes the replica away as a deleted Pod goes: out of the Service at once, then SIGTERM, then SIGKILL after the grace period.
   * Gives its exit code, null when it had to be killed.
   */
  async stop(graceMs = 60_000): Promise<number | null> {
    this.#leaving = true;
    const code = await this.#group.stop(this.process, graceMs);
    clearInterval(this.#probe);
    return code;
  }

  /** Ends the process without a chance to say goodbye. */
  async kill(): Promise<void> {
    this.process.signal('SIGKILL');
    await eventually(`${this.name} to end`, () => !this.process.isRunning());
    clearInterval(this.#probe);
  }

  /** Everything it has logged. Rejects when a line is no JSON object or says a key twice. */
  async logRecords(): Promise<readonly LogRecord[]> {
    return readLog(this.process.log);
  }

  /** What was wrong each time it stopped being ready, with the time. */
  get lapses(): readonly string[] {
    return this.#lapses;
  }

  async #look(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    const { code, text } = await this.get('/readyz').catch((error: unknown) => ({ code: 0, text: String(error) }));
    this.#probing = false;
    this.#failedProbes = code === 200 ? 0 : this.#failedProbes + 1;
    const ready = this.#failedProbes === 0 || (this.#ready && this.#failedProbes < failureThreshold);
    if (this.#ready && !ready) this.#lapses = [...this.#lapses, `${new Date().toISOString()} ${text}`];
    this.#ready = ready;
  }
}

/** What an HTTP server answered. */
interface Answered {
  readonly code: number;
  readonly text: string;
}

const here = { host: '127.0.0.1', agent: false, timeout: 5_000 } as const;

async function answered(send: (take: (answer: IncomingMessage) => void) => ClientRequest): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const call = send((answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
      answer.on('error', reject).on('end', () => resolve({ code: answer.statusCode ?? 0, text }));
    });
    call.on('timeout', () => call.destroy(new Error(`${call.path} did not answer`)));
    call.on('error', reject).end();
  });
}

/** Entry of the service, relative to the project: the sources, or what `HOMEOSTAT_ENTRY` names (dist/main.js). */
export function serviceEntry(projectFolder: string): string {
  return join(projectFolder, process.env['HOMEOSTAT_ENTRY'] ?? 'src/main.ts');
}
