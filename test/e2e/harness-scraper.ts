import type { ControlPlane } from '../controlplane/start.ts';

/** A ServiceAccount that reads the metrics, as Prometheus has one. */
const scraper = 'scraper';

/** Creates an account that may read the metrics of services in its namespace. */
export async function allowScraping(plane: ControlPlane, namespace: string): Promise<void> {
  const roles = 'rbac.authorization.k8s.io';
  const subject = { kind: 'ServiceAccount', name: scraper, namespace };
  const role = { apiGroup: roles, kind: 'ClusterRole', name: scraper };
  const items = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: scraper, namespace } },
    {
      apiVersion: `${roles}/v1`,
      kind: 'ClusterRole',
      metadata: { name: scraper },
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    },
    {
      apiVersion: `${roles}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: scraper },
      roleRef: role,
      subjects: [subject],
    },
  ];
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await plane.kubectl(['apply', '--server-side', '-f', '-'], { stdin });
}

/** A token of that account. */
export async function scraperToken(plane: ControlPlane, namespace: string): Promise<string> {
  return plane.serviceAccountToken(namespace, scraper);
}
