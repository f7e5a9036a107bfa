import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../architecture/project.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { programPath } from '../controlplane/program-path.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { testAuthority } from '../support/openssl.ts';
import { benchNamespace } from './workload.ts';

/** A command line and its environment. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** An operator that is measured. */
export interface Subject {
  readonly name: string;
  /** Its ServiceAccount in the bench's namespace. */
  readonly account: string;
  /** Gives the control plane what this operator needs beyond the definitions. */
  install(plane: ControlPlane): Promise<void>;
  /** The command that runs it as its ServiceAccount; called for each start. */
  command(plane: ControlPlane): Promise<Command>;
}

/** The same operator on controller-runtime. */
export const peer: Subject = {
  name: 'controller-runtime',
  account: 'peer',
  install: async (plane) => allowEverything(plane, 'peer'),
  command: async (plane) => {
    const [port = 0] = await freePorts(1);
    return {
      program: await programPath('peer'),
      args: ['-certs', await certificates(plane.folder), '-port', String(port), '-metrics', '0', '-health', '0'],
      env: { KUBECONFIG: await plane.serviceAccountKubeconfig(benchNamespace, 'peer') },
    };
  },
};

/**
 * This project's service as it is built into dist, on the Node that runs the bench, and as its Deployment runs it: with the Pod's
 * kind of credentials, since a kubeconfig loads a library that production never does, and with the Deployment's NODE_OPTIONS.
 */
export const ours: Subject = {
  name: 'homeostat',
  account: 'homeostat',
  install: async (plane) => {
    await allowEverything(plane, 'homeostat');
    await apply(plane, {
      apiVersion: 'homeostat.io/v1alpha1',
      kind: 'ClusterConfig',
      metadata: { name: 'default' },
      spec: {},
    });
  },
  command: async (plane) => {
    const [webhookPort = 0, healthPort = 0, metricsPort = 0] = await freePorts(3);
    const server = new URL(plane.server);
    const flags = {
      'service-account-dir': await podCredentials(plane, 'homeostat'),
      'cert-dir': await certificates(plane.folder),
      'webhook-host': '127.0.0.1',
      'webhook-port': webhookPort,
      'health-port': healthPort,
      'metrics-port': metricsPort,
      namespace: benchNamespace,
      'leader-elect': false,
      'shutdown-delay': '0s',
    };
    return {
      program: process.execPath,
      args: [join(projectFolder, 'dist', 'main.js'), 'run', ...Object.entries(flags).map(([k, v]) => `--${k}=${v}`)],
      env: {
        PATH: process.env['PATH'],
        NODE_OPTIONS: await deployedNodeOptions(),
        KUBERNETES_SERVICE_HOST: server.hostname,
        KUBERNETES_SERVICE_PORT: server.port,
      },
    };
  },
};

// Neither subject's rights are measured here; the suites of test/e2e run with the generated ones.
async function allowEverything(plane: ControlPlane, account: string): Promise<void> {
  await apply(plane, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: account, namespace: benchNamespace },
  });
  await apply(plane, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `bench-${account}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: benchNamespace }],
  });
}

async function apply(plane: ControlPlane, object: object): Promise<void> {
  await plane.kubectl(['apply', '--server-side', '-f', '-'], { stdin: JSON.stringify(object) });
}

/** The folder that the kubelet mounts into a Pod of the account. */
async function podCredentials(plane: ControlPlane, account: string): Promise<string> {
  const directory = join(plane.folder, `${account}-credentials`);
  await mkdir(directory, { recursive: true });
  const files = {
    'ca.crt': plane.ca,
    namespace: benchNamespace,
    token: await plane.serviceAccountToken(benchNamespace, account),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, { mode: 0o600 });
  return directory;
}

async function deployedNodeOptions(): Promise<string> {
  const file = join(projectFolder, 'manifests', 'manager', 'deployment-homeostat.yaml');
  const [, options] = /name: NODE_OPTIONS\n\s+value: (.*)/.exec(await readFile(file, 'utf8')) ?? [];
  if (options === undefined) throw new Error(`${file} sets no NODE_OPTIONS.`);
  return options;
}

async function certificates(folder: string): Promise<string> {
  const directory = join(folder, 'webhook-certs');
  await mkdir(directory, { recursive: true });
  const { cert, key } = testAuthority(directory, 'bench').issue('localhost');
  await writeFile(join(directory, 'tls.crt'), cert);
  await writeFile(join(directory, 'tls.key'), key, { mode: 0o600 });
  return directory;
}
