import type { Manifest } from '../../src/base/object.ts';
import { writeVerbs } from '../controlplane/audit-log.ts';
import type { CommandResult } from '../controlplane/kubectl.ts';
import { eventually } from '../support/eventually.ts';
import type { Deployment } from './harness.ts';

/** What is no write of anything: notes, renewals, and questions. */
const UNCOUNTED: ReadonlySet<string> = new Set(['events', 'leases', 'subjectaccessreviews', 'tokenreviews']);

/** API version of the shipped kinds. */
export const API_VERSION = 'homeostat.io/v1alpha1';

/** An Environment with one child of each kind in namespace team-a. */
export function anEnvironment(name: string, spec: Readonly<Record<string, unknown>> = {}): Manifest {
  return {
    apiVersion: API_VERSION,
    kind: 'Environment',
    metadata: { name, namespace: 'team-a' },
    spec: {
      teamRef: { name: 'team-a' },
      resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '1000m', pods: '20' } }],
      serviceAccounts: [{ name: 'app' }],
      roleBindings: [{ name: 'devs', roleRef: { kind: 'ClusterRole', name: 'edit' }, subjectsFromTeam: 'owner' }],
      networkPolicies: [{ name: 'same', spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] } }],
      ...spec,
    },
  };
}

/** What suites do with a deployment, in the words of the person at the terminal. */
export class Scenario {
  readonly #deployment: Deployment;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** kubectl as administrator; rejects when it fails. Gives standard output. */
  async kubectl(...args: readonly string[]): Promise<string> {
    return (await this.#deployment.plane.kubectl(args)).stdout.trim();
  }

  /** kubectl that is expected to fail; gives what it said. */
  async refused(args: readonly string[], stdin?: string, kubeconfig?: string): Promise<string> {
    const options = {
      mayFail: true,
      ...(stdin === undefined ? {} : { stdin }),
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
    };
    const { code, stdout, stderr } = await this.#deployment.plane.kubectl(args, options);
    if (code === 0) throw new Error(`kubectl ${args.join(' ')} was expected to be refused; it said: ${stdout}`);
    return stderr;
  }

  /** kubectl apply of objects; rejects when it is refused. */
  async apply(...objects: readonly Manifest[]): Promise<CommandResult> {
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    return this.#deployment.plane.kubectl(['apply', '-f', '-'], { stdin });
  }

  /** Applies the samples as a newcomer would. */
  async applySamples(): Promise<void> {
    await this.kubectl('apply', '-f', 'manifests/samples');
    await this.kubectl('wait', '-n', 'team-a', 'environment/dev', '--for=condition=Ready', '--timeout=60s');
  }

  /** One value of an object by JSONPath; empty where there is none. */
  async value(jsonPath: string, ...target: readonly string[]): Promise<string> {
    return this.kubectl('get', ...target, '-o', `jsonpath=${jsonPath}`);
  }

  /** Waits until an object's value is this one. */
  async becomes(expected: string, jsonPath: string, target: readonly string[], timeoutMs = 30_000): Promise<void> {
    let last = '';
    await eventually(
      `${target.join(' ')} ${jsonPath} = ${expected}`,
      async () => {
        last = await this.value(jsonPath, ...target);
        return last === expected;
      },
      { timeoutMs, details: () => `It was ${last}` },
    );
  }

  /** Waits until an object is gone. */
  async isGone(...target: readonly string[]): Promise<void> {
    await eventually(`${target.join(' ')} to be gone`, async () => {
      const { code, stderr } = await this.#deployment.plane.kubectl(['get', ...target], { mayFail: true });
      return code !== 0 && stderr.includes('not found');
    });
  }

  /** Writes of the service so far, Events, Leases and reviews of tokens and access apart. */
  async writes(): Promise<readonly string[]> {
    const entries = await this.#deployment.plane.auditEntries({ user: this.#deployment.user, verbs: writeVerbs });
    return entries
      .filter(({ objectRef }) => !UNCOUNTED.has(objectRef?.resource ?? ''))
      .map(
        ({ verb, objectRef }) =>
          `${verb} ${objectRef?.resource}/${objectRef?.namespace ?? ''}/${objectRef?.name ?? ''}`,
      );
  }
}
