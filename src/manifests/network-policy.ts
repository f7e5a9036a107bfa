import type { Manifest } from '../base/object.ts';
import { allPodsLabels, labelsFor, type ManifestSettings, PORTS } from './settings.ts';

/** Label of the namespaces whose Pods may scrape the metrics. */
const SCRAPER_LABELS = { metrics: 'enabled' } as const;

/** Where a name server listens: as usual, and where OpenShift's Pods do. */
const DNS_PORTS: readonly number[] = [53, 5353];

/** The API server's Service, and where its Pods listen: a policy is judged after the Service's address was replaced (cert-manager#5787). */
const API_SERVER_PORTS: readonly number[] = [443, 6443];

/** Where a Vault listens unless told otherwise. */
const VAULT_PORT = 8200;

/**
 * Three policies, one a direction and purpose; together they leave the Pods nothing else. The webhooks are open to all: API servers
 * live outside the Pod network and cannot be selected, and what they send is not trusted anyway. The probes' port is not named: the
 * kubelet of a Pod's own node always reaches it.
 */
export function renderNetworkPolicies(settings: ManifestSettings): readonly Manifest[] {
  if (!settings.networkPolicy) return [];
  return [
    policy('homeostat-allow-webhooks', settings, {
      policyTypes: ['Ingress'],
      ingress: [{ ports: [tcp(PORTS.webhook)] }],
    }),
    policy('homeostat-allow-scraping', settings, {
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ namespaceSelector: { matchLabels: SCRAPER_LABELS } }], ports: [tcp(PORTS.metrics)] }],
    }),
    policy('homeostat-allow-egress', settings, {
      policyTypes: ['Egress'],
      egress: [
        { ports: DNS_PORTS.flatMap((port) => [{ protocol: 'UDP', port }, tcp(port)]) },
        { ports: [...API_SERVER_PORTS, VAULT_PORT].map(tcp) },
      ],
    }),
  ];
}

function policy(name: string, settings: ManifestSettings, spec: object): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: settings.namespace, labels: labelsFor(settings, 'network-policy') },
    spec: { podSelector: { matchLabels: allPodsLabels() }, ...spec },
  };
}

function tcp(port: number): object {
  return { protocol: 'TCP', port };
}
