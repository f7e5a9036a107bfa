/** A kubeconfig for the administrator. It is JSON, which every reader of kubeconfigs takes as YAML. */
export function renderKubeconfig(url: string, caPem: string, token: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'devcluster',
        cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'devcluster', context: { cluster: 'devcluster', user: 'admin' } }],
    'current-context': 'devcluster',
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
