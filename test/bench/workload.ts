import type { ControlPlane } from '../controlplane/start.ts';

/** Namespace of the benched Environments. */
export const benchNamespace = 'bench';

const environments = `/apis/homeostat.io/v1alpha1/namespaces/${benchNamespace}/environments`;

/** One Environment of nine children: a namespace, a quota, a limit range, two accounts, two bindings, two policies. */
export const environmentSpec: object = {
  resourceQuotas: [{ name: 'compute', hard: { 'requests.cpu': '4', 'requests.memory': '8Gi' } }],
  limitRanges: [
    {
      name: 'defaults',
      limits: [
        {
          type: 'Container',
          default: { cpu: '500m', memory: '512Mi' },
          defaultRequest: { cpu: '100m', memory: '128Mi' },
        },
      ],
    },
  ],
  serviceAccounts: [{ name: 'app' }, { name: 'ci' }],
  roleBindings: ['view', 'edit'].map((role) => ({
    name: role,
    roleRef: { kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'Group', name: `team-${role}`, apiGroup: 'rbac.authorization.k8s.io' }],
  })),
  networkPolicies: [
    { name: 'deny-all', spec: { podSelector: {}, policyTypes: ['Ingress'] } },
    {
      name: 'allow-dns',
      spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{ ports: [{ port: 53, protocol: 'UDP' }] }] },
    },
  ],
};

/** Name of an Environment by its place in the order of creation. */
export function environmentName(index: number): string {
  return `e${String(index).padStart(5, '0')}`;
}

/** Creates `count` Environments, eight at a time. */
export async function createEnvironments(plane: ControlPlane, count: number, spec = environmentSpec): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => environmentName(index)).values();
  const create = async (): Promise<void> => {
    for (const name of names) {
      const { code, body } = await plane.request('POST', environments, {
        apiVersion: 'homeostat.io/v1alpha1',
        kind: 'Environment',
        metadata: { name },
        spec,
      });
      if (code !== 201) throw new Error(`Environment ${name} was not created: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, create));
}

/** The part of an Environment that tells whether it is Ready. */
interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** How many Environments are Ready. */
export async function countReady(plane: ControlPlane): Promise<number> {
  const { body } = await plane.request('GET', environments);
  // A list of Environments.
  const { items } = body as { readonly items: readonly WithConditions[] };
  return items.filter(({ status }) => status?.conditions?.some(isReady) === true).length;
}

function isReady({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === 'Ready' && status === 'True';
}
