import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiAccess, callApi, kubeconfigText } from './api-access.ts';
import { freePorts } from './free-ports.ts';
import type { OwnedProcess, OwnedProcesses } from './owned-processes.ts';
import { programPath } from './program-path.ts';

/** The API server's administrator; for setting things up and looking, never for what is under test. */
export const adminToken = 'admin-of-this-test';

/** Files of a running control plane that others read. */
export interface ServerFiles {
  readonly auditLog: string;
  readonly kubeconfig: string;
}

/** The running servers of a control plane. */
export interface Servers {
  readonly access: ApiAccess;
  readonly files: ServerFiles;
  /** Process of the API server; another one after a restart. */
  apiServerPid(): number;
  /** Kills the API server and starts it again on the same storage, port and certificate; resolves when it serves. */
  restartApiServer(): Promise<void>;
}

/**
 * Starts etcd, the API server and the controller manager in the group's folder and waits until each serves. Rejects with the end
 * of the logs when one of them ends early or does not become ready.
 *
 * @param policy of the audit log
 */
export async function startServers(group: OwnedProcesses, policy: string): Promise<Servers> {
  const [clientPort = 0, peerPort = 0, apiPort = 0] = await freePorts(3);
  const files = await writeFiles(group.folder, policy);
  const etcd = await startEtcd(group, clientPort, peerPort);
  let apiServer = await startApiServer(group, apiPort, clientPort);
  const server = `https://127.0.0.1:${apiPort}`;
  const access = await ready(group, [etcd, apiServer], server);
  await writeFile(files.kubeconfig, kubeconfigText(access), { mode: 0o600 });
  const controllers = await startControllerManager(group, files.kubeconfig, access.ca);
  await controllersReady(group, controllers, access);
  return {
    access,
    files,
    apiServerPid: () => apiServer.pid,
    restartApiServer: async () => {
      apiServer.signal('SIGKILL');
      await apiServer.exited;
      apiServer = await startApiServer(group, apiPort, clientPort);
      await ready(group, [etcd, apiServer], server);
    },
  };
}

async function writeFiles(folder: string, policy: string): Promise<ServerFiles> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await mkdir(join(folder, 'certs'));
  await writeFile(join(folder, 'sa.key'), privateKey, { mode: 0o600 });
  await writeFile(join(folder, 'sa.pub'), publicKey);
  await writeFile(join(folder, 'tokens.csv'), `${adminToken},admin,admin,system:masters\n`, { mode: 0o600 });
  await writeFile(join(folder, 'audit-policy.yaml'), policy);
  return { auditLog: join(folder, 'audit.log'), kubeconfig: join(folder, 'admin.kubeconfig') };
}

async function startEtcd(group: OwnedProcesses, clientPort: number, peerPort: number): Promise<OwnedProcess> {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return group.start('etcd', await programPath('etcd'), [
    ...['--data-dir', join(group.folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
    ...['--quota-backend-bytes', String(4 * 1024 ** 3)],
  ]);
}

async function startApiServer(group: OwnedProcesses, port: number, etcdPort: number): Promise<OwnedProcess> {
  const file = (name: string): string => join(group.folder, name);
  return group.start('kube-apiserver', await programPath('kube-apiserver'), [
    ...['--etcd-servers', `http://127.0.0.1:${etcdPort}`, '--secure-port', String(port), '--bind-address', '127.0.0.1'],
    // A loopback address is refused as an endpoint of the kubernetes Service, so no endpoint is kept at all.
    ...['--advertise-address', '127.0.0.1', '--endpoint-reconciler-type', 'none', '--cert-dir', file('certs')],
    ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', file('sa.pub')],
    ...['--service-account-signing-key-file', file('sa.key'), '--token-auth-file', file('tokens.csv')],
    ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', '10.0.0.0/24', '--allow-privileged=true'],
    ...['--audit-policy-file', file('audit-policy.yaml'), '--audit-log-path', file('audit.log')],
    ...['--max-requests-inflight', '4000', '--max-mutating-requests-inflight', '2000'],
  ]);
}

async function startControllerManager(group: OwnedProcesses, kubeconfig: string, ca: string): Promise<OwnedProcess> {
  await writeFile(join(group.folder, 'ca.crt'), ca);
  return group.start('kube-controller-manager', await programPath('kube-controller-manager'), [
    ...['--kubeconfig', kubeconfig, '--use-service-account-credentials', '--leader-elect=false', '--secure-port', '0'],
    ...['--service-account-private-key-file', join(group.folder, 'sa.key')],
    ...['--root-ca-file', join(group.folder, 'ca.crt')],
  ]);
}

// The API server writes its own certificate and, behind it, the authority that signed it.
async function ready(group: OwnedProcesses, processes: readonly OwnedProcess[], server: string): Promise<ApiAccess> {
  return group.whileRunning(processes, `${server}/readyz`, async () => {
    const ca = authorities(await readFile(join(group.folder, 'certs', 'apiserver.crt'), 'utf8'));
    const access: ApiAccess = { server, ca, token: adminToken };
    return (await callApi(access, { method: 'GET', path: '/readyz' })).code === 200 && access;
  });
}

async function controllersReady(group: OwnedProcesses, controllers: OwnedProcess, access: ApiAccess): Promise<void> {
  const path = '/api/v1/namespaces/default';
  await group.whileRunning([controllers], 'the default ServiceAccount and its CA', async () => {
    const account = await callApi(access, { method: 'GET', path: `${path}/serviceaccounts/default` });
    const authority = await callApi(access, { method: 'GET', path: `${path}/configmaps/kube-root-ca.crt` });
    return account.code === 200 && authority.code === 200;
  });
}

function authorities(chain: string): string {
  const certificates = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
  return certificates.filter((pem) => new X509Certificate(pem).ca).join('');
}
