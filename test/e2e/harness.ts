import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { checkEvidence } from './harness-evidence.ts';
import { type InstallManifests, readInstallManifests, withFlags } from './harness-manifests.ts';
import type { LogRecord } from './harness-log.ts';
import { Replica, serviceEntry } from './harness-replica.ts';
import { allowScraping, scraperToken } from './harness-scraper.ts';
import { type MountedSecret, mountSecret } from './harness-secret-mount.ts';
import { ServiceAddress } from './harness-service.ts';

/** What a suite wants to have deployed. */
export interface DeployOptions {
  /** @defaultValue 1 */
  readonly replicas?: number;
  /** Flags of `run`, over those of the generated Deployment: `{ resync: '5s' }`. */
  readonly flags?: Readonly<Record<string, string | number>>;
  /** The release that is deployed first, where it is not today's: its manifests, and its program. */
  readonly release?: Release;
  /** The suite takes rights from the service on purpose, so that requests of it are refused. @defaultValue false */
  readonly takesRights?: boolean;
  /** Called when the control plane serves and holds nothing of the service yet. */
  readonly beforeInstall?: (plane: ControlPlane) => Promise<void>;
}

/** A release of the service. */
export interface Release {
  /** Path of its install.yaml. */
  readonly manifests: string;
  /** Path of its entry. */
  readonly entry: string;
}

/** The service, installed on a real control plane of its own from the generated manifests. */
export interface Deployment {
  readonly plane: ControlPlane;
  readonly manifests: InstallManifests;
  /** Name of the service's own user, as the audit log spells it. */
  readonly user: string;
  /** Those that were started and not yet stopped or killed by `close`. */
  readonly replicas: readonly Replica[];
  /** Starts one more, of today's release unless another is given, and waits until it is ready. */
  scaleUp(release?: Release): Promise<Replica>;
  /** Starts an instance with these flags over all others and waits until it is ready; one of a stage is no endpoint of the Service. */
  startInstance(flags: Readonly<Record<string, string | number>>): Promise<Replica>;
  /** Applies today's install.yaml (again), whole but for the Service, which stays the harness's own. */
  applyManifests(): Promise<void>;
  /** Every replica's log. Rejects when a line is no strict JSON. */
  logRecords(): Promise<readonly LogRecord[]>;
  /** The last lines of every log, for the message of a failure. */
  describe(): Promise<string>;
  /**
   * Stops the replicas in an orderly way and checks their logs and what they did (checkEvidence), while the control plane goes on:
   * as a kubelet does with the Pods of a Deployment that is gone.
   */
  standDown(): Promise<void>;
  /** Stops the replicas in an orderly way, checks their logs and what they did (checkEvidence), then ends the control plane. */
  close(): Promise<void>;
}

/**
 * Applies manifests/install.yaml as it is to a new control plane with cert-manager, starts the replicas as their ServiceAccount
 * and waits until every webhook is trusted and every replica ready. Only the Service is replaced: there is no cluster network.
 */
export async function deploy(options: DeployOptions = {}): Promise<Deployment> {
  const manifests = await readInstallManifests(projectFolder);
  const plane = await startControlPlane({ certManager: true, auditedGroups: ['homeostat.io'] });
  const deployment = new RunningDeployment(plane, manifests, await OwnedProcesses.open('homeostat-replicas'), options);
  try {
    await options.beforeInstall?.(plane);
    await deployment.install();
    await Promise.all(Array.from({ length: options.replicas ?? 1 }, async () => deployment.scaleUp(options.release)));
    return deployment;
  } catch (cause) {
    const details = await deployment.describe();
    await deployment.abandon();
    throw new Error(`The deployment did not become ready.\n${details}`, { cause });
  }
}

class RunningDeployment implements Deployment {
  readonly plane: ControlPlane;
  readonly manifests: InstallManifests;
  readonly user: string;
  readonly #group: OwnedProcesses;
  readonly #flags: Readonly<Record<string, string | number>>;
  readonly #replicas: Replica[] = [];
  readonly #takesRights: boolean;
  readonly #release: Release | undefined;
  #started = 0;
  #stoodDown = false;
  #service: ServiceAddress | undefined;
  #mount: MountedSecret | undefined;

  constructor(plane: ControlPlane, manifests: InstallManifests, group: OwnedProcesses, options: DeployOptions) {
    const { flags = {}, takesRights = false, release } = options;
    this.plane = plane;
    this.manifests = manifests;
    this.user = `system:serviceaccount:${manifests.namespace}:${manifests.serviceAccount}`;
    this.#group = group;
    this.#flags = flags;
    this.#takesRights = takesRights;
    this.#release = release;
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  async install(): Promise<void> {
    const { file, namespace, service, secret, webhookConfigurations } = this.manifests;
    await this.plane.kubectl(['apply', '--server-side', '-f', this.#release?.manifests ?? file]);
    this.#service = await ServiceAddress.open(() => this.#replicas.filter(({ serves }) => serves));
    const services = `/api/v1/namespaces/${namespace}/services`;
    await this.plane.request('DELETE', `${services}/${service}`);
    const { code, body } = await this.plane.request('POST', services, {
      metadata: { name: service },
      spec: { type: 'ExternalName', externalName: this.#service.address, ports: [{ port: 443 }] },
    });
    if (code !== 201) throw new Error(`The Service ${service} was not replaced: ${JSON.stringify(body)}`);
    await allowScraping(this.plane, namespace);
    this.#mount = mountSecret(this.plane, { namespace, name: secret }, join(this.#group.folder, 'certs'));
    for (const { kind, name } of webhookConfigurations) {
      const jsonpath = '{range .webhooks[*]}{.clientConfig.caBundle}{"\\n"}{end}';
      await eventually(`the CA of ${kind} ${name}`, async () => {
        const { stdout } = await this.plane.kubectl(['get', kind, name, '-o', `jsonpath=${jsonpath}`]);
        return !stdout.split('\n').slice(0, -1).includes('');
      });
    }
  }

  scaleUp(release?: Release): Promise<Replica> {
    return this.#start({}, release);
  }

  startInstance(flags: Readonly<Record<string, string | number>>): Promise<Replica> {
    return this.#start(flags);
  }

  async #start(ownFlags: Readonly<Record<string, string | number>>, release?: Release): Promise<Replica> {
    const { namespace, serviceAccount, args, env } = this.manifests;
    const name = `homeostat-${this.#started++}`;
    const [webhookPort = 0, healthPort = 0, metricsPort = 0] = await freePorts(3);
    const flags = {
      kubeconfig: await this.plane.serviceAccountKubeconfig(namespace, serviceAccount),
      'cert-dir': join(this.#group.folder, 'certs'),
      'webhook-host': '127.0.0.1',
      'webhook-port': webhookPort,
      'health-host': '127.0.0.1',
      'health-port': healthPort,
      'metrics-port': metricsPort,
      ...this.#flags,
      ...ownFlags,
    };
    const replica = await Replica.start(this.#group, {
      name,
      args: [release?.entry ?? serviceEntry(projectFolder), ...withFlags(args, flags)],
      env: { PATH: process.env['PATH'], POD_NAME: name, POD_NAMESPACE: namespace, ...env },
      webhookPort,
      healthPort,
      metricsPort,
      serves: ownFlags['stage'] === undefined,
      scrapeToken: await scraperToken(this.plane, namespace),
    });
    this.#replicas.push(replica);
    await replica.ready();
    return replica;
  }

  async applyManifests(): Promise<void> {
    const items = this.manifests.objects.filter(({ kind }) => kind !== 'Service');
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await this.plane.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { stdin });
  }

  async logRecords(): Promise<readonly LogRecord[]> {
    return (await Promise.all(this.#replicas.map(async (replica) => replica.logRecords()))).flat();
  }

  async describe(): Promise<string> {
    return `${await this.plane.logs(10)}\n${await this.#group.logs(40)}`;
  }

  async standDown(): Promise<void> {
    const running = this.#replicas.filter((replica) => replica.process.isRunning());
    const codes = await Promise.all(running.map(async (replica) => replica.stop()));
    await this.logRecords();
    if (codes.some((code) => code !== 0)) {
      // Without a code a signal has ended it.
      const words = running.map(({ name, process }, index) => `${name}: ${codes[index] ?? process.endedBy()}`);
      throw new Error(`Replicas ended with ${words.join(', ')}.\n${await this.describe()}`);
    }
    if (this.#stoodDown) return;
    this.#stoodDown = true;
    await checkEvidence(this.plane, {
      user: this.user,
      granted: this.manifests.rights,
      takesRights: this.#takesRights,
    });
  }

  async close(): Promise<void> {
    try {
      await this.standDown();
    } finally {
      await this.abandon();
    }
  }

  /** Ends everything without asking. */
  async abandon(): Promise<void> {
    for (const replica of this.#replicas) if (replica.process.isRunning()) await replica.kill();
    await this.#mount?.close();
    await this.#service?.close();
    await this.#group.close();
    await this.#group.removeFolder();
    await this.plane.close();
  }
}
