import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { CertificateMode } from '../../src/certs/certificate-mode.ts';
import type { Manifest } from '../../src/base/object.ts';
import { projectFolder } from '../architecture/project.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { eventually } from '../support/eventually.ts';
import { dryRunEnvironments, environmentOf } from './dry-run-environment.ts';
import { withFlags } from './harness-manifests.ts';
import { Replica, serviceEntry } from './harness-replica.ts';
import { type MountedSecret, mountSecret } from './harness-secret-mount.ts';
import { ServiceAddress } from './harness-service.ts';

const run = promisify(execFile);

/** Namespace and account of the generated manifests. */
export const NAMESPACE = 'homeostat-system';
const ACCOUNT = 'homeostat';

/** Both webhook configurations as kubectl names them. */
export const CONFIGURATIONS = ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'] as const;

/** The kubelet is late with what changed in a Secret; long enough for the caBundle to be ahead of the files. */
const MOUNT_LAG_MS = 3000;

/** Flags over those of the generated Deployment. */
export type Flags = Readonly<Record<string, string | number>>;

/** A control plane on which the service is installed piece by piece, in one of its certificate modes. */
export class CertificateScene {
  readonly plane: ControlPlane;
  readonly mode: CertificateMode;
  readonly replicas: Replica[] = [];
  readonly #group: OwnedProcesses;
  readonly #service: ServiceAddress;
  #mount: MountedSecret | undefined;
  #objects: readonly Manifest[] = [];
  #started = 0;

  private constructor(plane: ControlPlane, mode: CertificateMode, group: OwnedProcesses, service: ServiceAddress) {
    this.plane = plane;
    this.mode = mode;
    this.#group = group;
    this.#service = service;
  }

  /** Starts the control plane and applies nothing. `authority` is the caBundle that csr manifests are rendered with. */
  static async open(mode: CertificateMode, authority?: string): Promise<CertificateScene> {
    const plane = await startControlPlane({ certManager: mode === 'cert-manager' });
    const replicas: Replica[] = [];
    const service = await ServiceAddress.open(() => replicas);
    const scene = new CertificateScene(plane, mode, await OwnedProcesses.open('homeostat-certificates'), service);
    // One list for both: the address leads to those that are ready.
    Object.defineProperty(scene, 'replicas', { value: replicas });
    if (mode === 'cert-manager') {
      const secret = { namespace: NAMESPACE, name: 'homeostat-webhook-tls' };
      scene.#mount = mountSecret(plane, secret, join(scene.#group.folder, 'certs'), MOUNT_LAG_MS);
    }
    await scene.render(authority);
    return scene;
  }

  /** Renders the manifests anew as a person does, with `homeostat manifests`. */
  async render(authority?: string): Promise<void> {
    const args = ['src/main.ts', 'manifests', `--certificates=${this.mode}`];
    if (authority !== undefined) {
      await this.#writeAuthorities(authority);
      args.push(`--csr-ca-file=${this.#authorityFile()}`);
    }
    const { stdout } = await run(process.execPath, args, { cwd: projectFolder, maxBuffer: 16 * 1024 * 1024 });
    // The project's own output; what is read of it is checked by use.
    this.#objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  }

  /** Objects to be applied, the Service replaced by a name that leads here: there is no cluster network. */
  get objects(): readonly Manifest[] {
    return this.#objects.map((object) =>
      object.kind === 'Service'
        ? {
            ...object,
            spec: { type: 'ExternalName', externalName: this.#service.address, ports: [{ port: 443 }] },
          }
        : object,
    );
  }

  /** Loopback address that stands for the Service. */
  get address(): string {
    return this.#service.address;
  }

  readonly serverName = `homeostat-webhook.${NAMESPACE}.svc`;

  /** What must exist before a Pod can: its namespace, its account and the account's rights. */
  get account(): readonly Manifest[] {
    return this.objects.filter(({ kind }) => /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind));
  }

  /** Everything else, in the order of the manifests. */
  get rest(): readonly Manifest[] {
    return this.objects.filter((object) => !this.account.some((other) => sameObject(object, other)));
  }

  /** kubectl apply, as one call. */
  async apply(objects: readonly Manifest[]): Promise<void> {
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    await this.plane.kubectl(['apply', '--server-side', '-f', '-'], { stdin });
  }

  /** Starts a replica and does not wait until it is ready. */
  async start(flags: Flags = {}): Promise<Replica> {
    const name = `homeostat-${this.#started++}`;
    const [webhookPort = 0, healthPort = 0, metricsPort = 0] = await freePorts(3);
    const own = {
      kubeconfig: await this.plane.serviceAccountKubeconfig(NAMESPACE, ACCOUNT),
      ...(this.mode === 'cert-manager' ? { 'cert-dir': join(this.#group.folder, 'certs') } : {}),
      ...(this.mode === 'csr' ? { 'csr-ca-file': this.#authorityFile() } : {}),
      'webhook-host': '127.0.0.1',
      'webhook-port': webhookPort,
      'health-host': '127.0.0.1',
      'health-port': healthPort,
      'metrics-port': metricsPort,
      'metrics-secure': 'false',
      // Nothing is in front of a replica that has to forget it: the address asks it before each connection.
      'shutdown-delay': '0s',
      ...flags,
    };
    const replica = await Replica.start(this.#group, {
      name,
      args: [serviceEntry(projectFolder), ...withFlags(this.#containerArgs(), own)],
      env: { PATH: process.env['PATH'], POD_NAME: name, POD_NAMESPACE: NAMESPACE },
      webhookPort,
      healthPort,
      metricsPort,
    });
    this.replicas.push(replica);
    return replica;
  }

  /** The caBundles of every hook, PEM, without doubles. */
  readonly caBundles = async (): Promise<readonly string[]> => {
    const bundles: string[] = [];
    for (const kind of CONFIGURATIONS) {
      const { body } = await this.plane.request('GET', `/apis/admissionregistration.k8s.io/v1/${kind}s/homeostat`);
      // A webhook configuration; one that does not exist has no webhooks.
      const { webhooks = [] } = body as { readonly webhooks?: readonly RegisteredHook[] };
      bundles.push(...webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ''));
    }
    return [...new Set(bundles)].map((bundle) => Buffer.from(bundle, 'base64').toString('utf8'));
  };

  /** Waits until the API server is answered by the webhooks: a refusal in their own words comes back. */
  async answers(): Promise<void> {
    await eventually(
      'the webhooks to answer the API server',
      async () => {
        const { code, body } = await this.plane.request('POST', dryRunEnvironments, brokenEnvironment());
        return code === 422 && JSON.stringify(body).includes('spec.serviceAccounts[1]');
      },
      { timeoutMs: 60_000, details: async () => this.describe() },
    );
  }

  /** Log lines of a replica with this message. */
  async said(replica: Replica, message: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await replica.logRecords()).filter((record) => record['msg'] === message);
  }

  /** The end of the logs, and when replicas were not ready any more. */
  async describe(): Promise<string> {
    const lapses = this.replicas.flatMap((replica) => replica.lapses.map((lapse) => `${replica.name}: ${lapse}`));
    return [await this.#group.logs(40), ...lapses].join('\n');
  }

  /** Stops the replicas and checks that no private key stands in any log, then ends the control plane. */
  async close(): Promise<void> {
    try {
      for (const replica of this.replicas) {
        if (replica.process.isRunning()) await replica.stop();
        const log = await readFile(replica.process.log, 'utf8');
        if (log.includes('PRIVATE KEY')) throw new Error(`The log of ${replica.name} holds a private key.`);
      }
    } finally {
      await this.#mount?.close();
      await this.#service.close();
      await this.#group.close();
      await this.#group.removeFolder();
      await this.plane.close();
    }
  }

  #authorityFile(): string {
    return join(this.#group.folder, 'signer-ca.crt');
  }

  async #writeAuthorities(text: string): Promise<void> {
    await writeFile(`${this.#authorityFile()}.new`, text);
    await rename(`${this.#authorityFile()}.new`, this.#authorityFile());
  }

  #containerArgs(): readonly string[] {
    const deployment = this.#objects.find(({ kind }) => kind === 'Deployment');
    // A Deployment of our own rendering.
    const spec = deployment?.['spec'] as { readonly template: { readonly spec: PodSpec } } | undefined;
    const args = spec?.template.spec.containers[0]?.args;
    if (args === undefined) throw new Error('The rendered manifests hold no Deployment with a container.');
    return args;
  }
}

interface RegisteredHook {
  readonly clientConfig: { readonly caBundle?: string };
}

interface PodSpec {
  readonly containers: readonly { readonly args: readonly string[] }[];
}

function sameObject(left: Manifest, right: Manifest): boolean {
  return left.kind === right.kind && left.metadata.name === right.metadata.name;
}

/** Refused by a rule that only the webhook has. */
function brokenEnvironment(): object {
  return environmentOf({ serviceAccounts: [{ name: 'app' }, { name: 'app' }] });
}
