import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemRandom } from '../../src/app/system-ports.ts';
import { issueAuthority, issueServing } from '../../src/certs/issue.ts';
import { webhookDnsName } from '../../src/manifests/settings.ts';
import { projectFolder } from '../architecture/project.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { programPath } from '../controlplane/program-path.ts';
import type { ControlPlane } from '../controlplane/start.ts';
import { deployedEnvironment, podCredentials } from './pod.ts';
import { benchNamespace } from './workload.ts';

/** A command line and its environment. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where its webhooks listen on loopback. */
  readonly webhookPort: number;
  /** PEM of the authority behind their certificate. */
  readonly webhookCa: string;
  /** Where it answers probes and gives its metrics; absent where it does neither. */
  readonly operations?: { readonly healthPort: number; readonly metricsPort: number };
}

/** An operator that is measured. */
export interface Subject {
  readonly name: string;
  /** Its ServiceAccount in the bench's namespace. */
  readonly account: string;
  /** Gives the control plane what this operator needs beyond the definitions. */
  install(plane: ControlPlane): Promise<void>;
  /** Path of its webhook that validates Environments. */
  readonly validatePath: string;
  /** Arguments after those of the command that leave its webhooks alone running. */
  readonly webhookOnly: readonly string[];
  /** The command that runs it as its ServiceAccount; called for each start. */
  command(plane: ControlPlane): Promise<Command>;
}

/** The same operator on controller-runtime. */
export const peer: Subject = {
  name: 'controller-runtime',
  account: 'peer',
  validatePath: '/validate',
  webhookOnly: ['-mode', 'webhook'],
  install: async (plane) => allowEverything(plane, 'peer'),
  command: async (plane) => {
    const [port = 0] = await freePorts(1);
    const { directory, authority } = await certificates(plane.folder);
    return {
      program: await programPath('peer'),
      args: ['-certs', directory, '-port', String(port), '-metrics', '0', '-health', '0'],
      env: { KUBECONFIG: await plane.serviceAccountKubeconfig(benchNamespace, 'peer') },
      webhookPort: port,
      webhookCa: authority,
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
  validatePath: '/validate/environments.homeostat.io',
  webhookOnly: [],
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
    const { directory, authority } = await certificates(plane.folder);
    const flags = {
      'service-account-dir': await podCredentials(plane, await plane.serviceAccountToken(benchNamespace, 'homeostat')),
      'cert-dir': directory,
      'webhook-host': '127.0.0.1',
      'webhook-port': webhookPort,
      'health-port': healthPort,
      'metrics-port': metricsPort,
      'metrics-secure': false,
      namespace: benchNamespace,
      'leader-elect': false,
      'shutdown-delay': '0s',
    };
    return {
      program: process.execPath,
      args: [join(projectFolder, 'dist', 'main.js'), 'run', ...Object.entries(flags).map(([k, v]) => `--${k}=${v}`)],
      webhookPort,
      webhookCa: authority,
      operations: { healthPort, metricsPort },
      env: {
        PATH: process.env['PATH'],
        ...(await deployedEnvironment()),
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

/** A certificate for localhost in a folder below this one, and the PEM of the authority behind it. */
export async function certificates(
  folder: string,
): Promise<{ readonly directory: string; readonly authority: string }> {
  const directory = join(folder, 'webhook-certs');
  await mkdir(directory, { recursive: true });
  const options = { random: systemRandom, now: Date.now(), validForMs: 7 * 86_400_000 };
  const authority = await issueAuthority('bench', options);
  // A bench dials localhost; the service under test serves no certificate but one for its own Service.
  const names = ['localhost', webhookDnsName(benchNamespace)];
  const { certificate, key } = await issueServing(authority, names, options);
  await writeFile(join(directory, 'tls.crt'), certificate);
  await writeFile(join(directory, 'tls.key'), key, { mode: 0o600 });
  return { directory, authority: authority.certificate };
}
