import { mkdir, writeFile } from 'node:fs/promises';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../app/create-service.ts';
import { type FlagValues, parseArguments, refuseArguments } from '../app/flag.ts';
import { flagHelp } from '../app/help.ts';
import { readLevel, readRunConfig, type RunConfig } from '../app/run-config.ts';
import type { Service } from '../app/service.ts';
import { systemClock, systemRandom } from '../app/system-ports.ts';
import { childController, deadline } from '../base/abort.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { ensureDevelopmentCertificates } from '../certs/development-certificates.ts';
import type { KubeClient } from '../kube/client.ts';
import { createKubeClient } from '../kube/http-client.ts';
import { createUndiciTransport } from '../kube/undici-transport.ts';
import { defaultManifestSettings, type ManifestSettings, webhookDnsName } from '../manifests/settings.ts';
import type { Kind } from '../sdk/kind.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { applyManifests } from './apply-manifests.ts';
import type { CommandContext } from './command.ts';
import { DEV_FLAGS } from './dev-flags.ts';
import type { DevTarget } from './dev-target.ts';
import { type DevVault, startDevVault } from './dev-vault.ts';
import { embeddedTarget } from './embedded-target.ts';
import { externalTarget } from './external-target.ts';
import { allSamples, samplesWithSteps, whenReady } from './samples.ts';
import { StepView } from './step-view.ts';
import { version } from './version.ts';

/** Folders of a development service, below the current one. Both are ignored by git. */
const STATE_FOLDER = '.homeostat';
const CERTIFICATE_FOLDER = 'certs';

/** How long the end may take: what does not answer then is left behind. */
const LEAVE_MS = 10_000;

type DevFlags = FlagValues<typeof DEV_FLAGS>;

/** Help of `homeostat dev`. */
export function usage(): string {
  return [
    'Usage: homeostat dev [flags]',
    '',
    'Runs the service as in production, on an embedded API server with the samples applied, and shows each step as it',
    'happens. Another cluster is used only when it is named by --kubeconfig or --context.',
    '',
    flagHelp(DEV_FLAGS),
  ].join('\n');
}

/** `homeostat dev`. Exit code 1 when the samples are not Ready in time. */
export async function command(context: CommandContext): Promise<number> {
  const { flags, words } = parseArguments(DEV_FLAGS, context.argv, context.env);
  refuseArguments('dev', words);
  await mkdir(STATE_FOLDER, { recursive: true });
  const logFile = createWriteStream(join(STATE_FOLDER, 'homeostat.log'));
  const destination = { write: (line: string) => void logFile.write(line) };
  const log = createLogger({ level: readLevel(flags['log-level']), destination, clock: systemClock });
  const session = new DevSession(context, flags, log, destination);
  try {
    return await session.run();
  } finally {
    await closed(logFile);
  }
}

class DevSession {
  readonly #context: CommandContext;
  readonly #flags: DevFlags;
  readonly #log: Logger;
  readonly #destination: { write(line: string): void };
  readonly #settings: ManifestSettings = defaultManifestSettings(version());
  readonly #view: StepView;
  #service: Service | undefined;

  constructor(context: CommandContext, flags: DevFlags, log: Logger, destination: { write(line: string): void }) {
    this.#context = context;
    this.#flags = flags;
    this.#log = log;
    this.#destination = destination;
    this.#view = new StepView(context.terminal);
  }

  async run(): Promise<number> {
    const { terminal, signal } = this.#context;
    terminal.out(terminal.style('bold', `Homeostat ${version()}`));
    const target = await this.#target();
    signal.addEventListener('abort', () => terminal.out('Stopping; a second Ctrl-C ends at once.'), { once: true });
    for (const line of target.about) terminal.out(line);
    const transport = createUndiciTransport({ connection: target.admin, clock: systemClock, log: this.#log });
    const client = createKubeClient({
      transport,
      clock: systemClock,
      random: systemRandom,
      log: this.#log,
      metrics: createMetrics({ processMetrics: false }).metrics,
      userAgent: `homeostat-dev/${version()}`,
    });
    const vault = await this.#vault();
    try {
      return await this.#serve(target, client, vault?.flags ?? []);
    } finally {
      await vault?.close();
      await this.#leave(target, client);
      await transport.close();
    }
  }

  async #leave(target: DevTarget, client: KubeClient): Promise<void> {
    const late = (): Error => new HomeostatError('HOMEOSTAT_TIMEOUT', 'the API server did not answer in time');
    const limit = deadline(systemClock, LEAVE_MS, new AbortController().signal, late);
    try {
      await target.leave(client, limit.signal);
    } catch (error) {
      this.#context.terminal.err(`Could not clean up: ${errorText(error)}`);
    } finally {
      limit.cancel();
    }
  }

  /** The embedded cluster unless a person named another: an environment variable is no such wish. */
  async #target(): Promise<DevTarget> {
    const { kinds, env, terminal } = this.#context;
    const { kubeconfig, context } = this.#flags;
    const common = { kinds, settings: this.#settings, clock: systemClock, log: this.#log };
    if (kubeconfig !== undefined || context !== undefined) {
      return externalTarget({ ...common, kubeconfig, context, env, webhookAddress: this.#flags['webhook-address'] });
    }
    const target = await embeddedTarget({
      ...common,
      random: systemRandom,
      certificates: join(CERTIFICATE_FOLDER, 'apiserver'),
      watchDelayMs: this.#flags['watch-delay'],
      webhookPort: () => this.#service?.webhookPort,
    });
    const file = join(STATE_FOLDER, 'kubeconfig');
    await writeFile(file, target.kubeconfig, { mode: 0o600 });
    // The kind with the most steps has the most to show.
    const stepsOf = ({ pipeline }: Kind): number => pipeline?.steps.length ?? 0;
    const [shown] = kinds.toSorted((a, b) => stepsOf(b) - stepsOf(a));
    const hint = `kubectl --kubeconfig ${file} get ${shown?.type.plural ?? 'crd'} -A -o wide`;
    return { ...target, about: [...target.about, `Look around with: ${terminal.style('cyan', hint)}`] };
  }

  /** Only kinds that keep something outside the cluster need one. */
  async #vault(): Promise<DevVault | undefined> {
    const { kinds, terminal } = this.#context;
    if (!kinds.some((kind) => kind.pipeline?.rechecks === true)) return undefined;
    const { namespace } = this.#settings;
    const ports = { clock: systemClock, random: systemRandom };
    const vault = await startDevVault({ namespace, folder: STATE_FOLDER, ...ports });
    terminal.out(`Vault in memory at ${vault.address}; it knows policies, roles and logins, and no secrets.`);
    return vault;
  }

  async #serve(target: DevTarget, client: KubeClient, vaultFlags: readonly string[]): Promise<number> {
    const { kinds, env, signal } = this.#context;
    const types = kinds.map((kind) => kind.type);
    await applyManifests(client, target.installed, types, signal);
    const directory = join(CERTIFICATE_FOLDER, 'webhook');
    const names = [webhookDnsName(this.#settings.namespace), 'localhost', '127.0.0.1', this.#flags['webhook-address']];
    const ports = { clock: systemClock, random: systemRandom };
    const { authority } = await ensureDevelopmentCertificates({ directory, names: [...new Set(names)], ...ports });
    this.#service = await createService({
      kinds,
      config: this.#serviceConfig(directory, vaultFlags),
      env,
      version: version(),
      destination: this.#destination,
      connection: await target.serviceConnection(client, signal),
      observer: this.#view,
      frozenCaches: true,
    });
    const stop = childController(signal);
    const running = this.#service.run(stop.signal);
    try {
      await this.#service.available;
      const port = this.#service.webhookPort ?? 0;
      await applyManifests(client, target.hooks({ port, authority }), types, signal);
      return await this.#watchSamples(client, running);
    } finally {
      stop.abort(new HomeostatError('HOMEOSTAT_STOPPED', 'The development session ends'));
      stop.release();
      await running;
    }
  }

  async #watchSamples(client: KubeClient, running: Promise<void>): Promise<number> {
    const { kinds, terminal, signal } = this.#context;
    if (this.#flags.samples && !(await this.#applySamples(client))) return 1;
    if (this.#flags.once) return 0;
    terminal.out(terminal.style('dim', `The service's log is ${join(STATE_FOLDER, 'homeostat.log')}. Ctrl-C ends.`));
    await running;
    if (!signal.aborted)
      throw new HomeostatError(
        'HOMEOSTAT_STOPPED',
        `The service ended by itself; ${kinds.length} kinds are without it`,
      );
    return 0;
  }

  /** Applies the samples and waits for them; false when they are not Ready in time. */
  async #applySamples(client: KubeClient): Promise<boolean> {
    const { kinds, terminal, signal } = this.#context;
    const timeoutMs = this.#flags.timeout;
    const startMs = systemClock.monotonic();
    const limit = deadline(
      systemClock,
      timeoutMs,
      signal,
      () => new HomeostatError('HOMEOSTAT_TIMEOUT', 'Time is over'),
    );
    try {
      const types = kinds.map((kind) => kind.type);
      await applyManifests(client, allSamples(kinds), types, limit.signal);
      const missing = await whenReady(client, samplesWithSteps(kinds), systemClock, limit.signal);
      this.#view.settle();
      const seconds = ((systemClock.monotonic() - startMs) / 1000).toFixed(1);
      if (missing.length === 0) terminal.out(terminal.style('green', `All samples are Ready after ${seconds} s.`));
      else if (!signal.aborted) {
        terminal.err(terminal.style('red', `Not Ready after ${seconds} s:`));
        for (const line of missing) terminal.err(`  ${line}`);
      }
      return missing.length === 0 || (signal.aborted && !this.#flags.once);
    } finally {
      limit.cancel();
    }
  }

  #serviceConfig(certificates: string, vaultFlags: readonly string[]): RunConfig {
    const namespace = this.#settings.namespace;
    const argv = [
      `--namespace=${namespace}`,
      `--cert-dir=${certificates}`,
      `--webhook-host=${isLoopback(this.#flags['webhook-address']) ? '127.0.0.1' : '0.0.0.0'}`,
      '--webhook-port=0',
      '--health-host=127.0.0.1',
      '--health-port=0',
      '--metrics-port=0',
      '--no-metrics-secure',
      // The session registers the hooks itself, in a way of its own.
      '--hook-check=0s',
      '--shutdown-delay=0s',
      '--drain=5s',
      `--log-level=${this.#flags['log-level']}`,
      ...vaultFlags,
    ];
    return readRunConfig(argv, {});
  }
}

/** Nobody but this machine has to reach the webhooks then. */
function isLoopback(address: string): boolean {
  return address === 'localhost' || address.startsWith('127.');
}

function closed(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.end(() => resolve()));
}
