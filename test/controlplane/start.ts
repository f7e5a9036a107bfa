import { mkdir, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import { type ApiAccess, type ApiAnswer, callApi, kubeconfigText } from './api-access.ts';
import { type AuditEntry, type AuditFilter, auditPolicy, readAuditLog } from './audit-log.ts';
import { startCertManager } from './cert-manager.ts';
import { type CommandResult, type KubectlOptions, runKubectl } from './kubectl.ts';
import { OwnedProcesses } from './owned-processes.ts';
import { programPath } from './program-path.ts';
import { type Servers, startServers } from './servers.ts';

/** What a suite wants of its control plane. */
export interface ControlPlaneOptions {
  /** Runs cert-manager's controllers and installs its definitions. @defaultValue false */
  readonly certManager?: boolean;
  /** API groups of which the audit log keeps what every write left stored. @defaultValue none */
  readonly auditedGroups?: readonly string[];
}

/** A real control plane of a suite's own. */
export interface ControlPlane {
  /** Holds logs, keys, kubeconfigs; gone after `close`. */
  readonly folder: string;
  readonly server: string;
  /** PEM of the authority behind the API server's certificate. */
  readonly ca: string;
  /** The administrator's kubeconfig file, for setting things up and looking. */
  readonly kubeconfig: string;
  /** One request as administrator; a string body is sent as it is. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer>;
  /** The real kubectl, as administrator unless told otherwise. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<CommandResult>;
  /** A token of the ServiceAccount from the TokenRequest API, valid for one hour. */
  serviceAccountToken(namespace: string, name: string): Promise<string>;
  /** A kubeconfig file that speaks for the ServiceAccount. */
  serviceAccountKubeconfig(namespace: string, name: string): Promise<string>;
  /** Every request answered so far that matches. */
  auditEntries(filter?: AuditFilter): Promise<readonly AuditEntry[]>;
  /** Process of the API server, of which a bench measures what it costs; another one after a restart. */
  apiServerPid(): number;
  /**
   * Kills the API server in the middle of whatever it does and starts it again on the same storage and port. Resolves when it
   * serves.
   */
  restartApiServer(): Promise<void>;
  /** The last lines of every process's log. */
  logs(lines?: number): Promise<string>;
  /** Ends every process and removes the folder, unless `HOMEOSTAT_KEEP` is set. */
  close(): Promise<void>;
}

/**
 * Starts etcd, kube-apiserver, kube-controller-manager (and cert-manager) on free ports with fresh storage. Whatever becomes of
 * this process, they end with it. Rejects with the end of their logs when one does not start.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt++) {
    const group = await OwnedProcesses.open('homeostat-controlplane');
    try {
      const servers = await startServers(group, auditPolicy(options.auditedGroups ?? []));
      const plane = new RunningControlPlane(group, servers, await programPath('kubectl'));
      if (options.certManager === true) await startCertManager(group, plane);
      return plane;
    } catch (error) {
      await group.close();
      // Between looking for a free port and its use, another process may have taken it.
      const portTaken = error instanceof Error && error.message.includes('address already in use');
      if (!portTaken || attempt === 3) throw error;
      await group.removeFolder();
    }
  }
}

class RunningControlPlane implements ControlPlane {
  readonly folder: string;
  readonly server: string;
  readonly ca: string;
  readonly kubeconfig: string;
  readonly apiServerPid: Servers['apiServerPid'];
  readonly #group: OwnedProcesses;
  readonly #admin: ApiAccess;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #auditLog: string;
  readonly #kubectl: string;
  readonly #restartApiServer: Servers['restartApiServer'];
  #markers = 0;

  constructor(group: OwnedProcesses, { access, files, apiServerPid, restartApiServer }: Servers, kubectl: string) {
    this.folder = group.folder;
    this.server = access.server;
    this.ca = access.ca;
    this.kubeconfig = files.kubeconfig;
    this.#group = group;
    this.#admin = { ...access, agent: this.#agent };
    this.#auditLog = files.auditLog;
    this.#kubectl = kubectl;
    this.apiServerPid = apiServerPid;
    this.#restartApiServer = restartApiServer;
  }

  async request(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer> {
    return callApi(this.#admin, { method, path, body, ...(contentType === undefined ? {} : { contentType }) });
  }

  async kubectl(args: readonly string[], options?: KubectlOptions): Promise<CommandResult> {
    const home = join(this.folder, 'home');
    await mkdir(home, { recursive: true });
    return runKubectl({ program: this.#kubectl, kubeconfig: this.kubeconfig, home }, args, options);
  }

  async serviceAccountToken(namespace: string, name: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const wanted = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const { code, body } = await this.request('POST', path, wanted);
    if (code !== 201) throw new Error(`No token for ServiceAccount ${namespace}/${name}: ${JSON.stringify(body)}`);
    // authentication.k8s.io/v1 TokenRequest, as answered with 201.
    return (body as { readonly status: { readonly token: string } }).status.token;
  }

  async serviceAccountKubeconfig(namespace: string, name: string): Promise<string> {
    const token = await this.serviceAccountToken(namespace, name);
    const file = join(this.folder, `${namespace}.${name}.kubeconfig`);
    await writeFile(file, kubeconfigText({ server: this.server, ca: this.ca, token }), { mode: 0o600 });
    return file;
  }

  async auditEntries(filter?: AuditFilter): Promise<readonly AuditEntry[]> {
    // An entry is written after its answer is sent: a request of our own that shows up proves that the earlier ones have.
    const marker = `/version?marker=${++this.#markers}`;
    await this.request('GET', marker);
    return eventually('the audit log to catch up', async () => {
      const entries = await readAuditLog(this.#auditLog);
      return entries.some(({ requestURI }) => requestURI === marker) && readAuditLog(this.#auditLog, filter);
    });
  }

  async restartApiServer(): Promise<void> {
    await this.#restartApiServer();
  }

  async logs(lines?: number): Promise<string> {
    return this.#group.logs(lines);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#group.close();
    await this.#group.removeFolder();
  }
}
