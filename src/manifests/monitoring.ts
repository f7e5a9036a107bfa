import type { Manifest } from '../base/object.ts';
import { AUTHORITY_FILE } from './certificate-mount.ts';
import { dashboardText } from './dashboard.ts';
import { renderAlerts } from './prometheus-rule.ts';
import { allPodsLabels, labelsFor, type ManifestSettings, NAMES, PORTS, webhookDnsName } from './settings.ts';
import type { ManifestSlice } from './slice.ts';

/** Where Prometheus finds the token of its own ServiceAccount. */
const TOKEN_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** What the Prometheus operator and Grafana read: the Service that is scraped, how, the alerts and the dashboard. */
export function renderMonitoring(kinds: readonly ManifestSlice[], settings: ManifestSettings): readonly Manifest[] {
  if (!settings.monitoring) return [];
  return [service(settings), serviceMonitor(settings), renderAlerts(kinds, settings), dashboard(settings)];
}

/** The Pods of all stages; headless, because each is scraped by itself. */
function service(settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: NAMES.metricsService,
      namespace: settings.namespace,
      labels: labelsFor(settings, 'monitoring'),
    },
    spec: {
      clusterIP: 'None',
      selector: allPodsLabels(),
      // A Pod that is not ready is the one to look at.
      publishNotReadyAddresses: true,
      ports: [{ name: 'metrics', port: PORTS.metrics, targetPort: 'metrics', protocol: 'TCP' }],
    },
  };
}

/** Over TLS that is verified, with Prometheus' own token, which must be bound to ClusterRole homeostat-metrics-reader. */
function serviceMonitor(settings: ManifestSettings): Manifest {
  const labels = labelsFor(settings, 'monitoring');
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: NAMES.app, namespace: settings.namespace, labels },
    spec: {
      selector: { matchLabels: { 'app.kubernetes.io/name': NAMES.app, 'app.kubernetes.io/component': 'monitoring' } },
      endpoints: [
        {
          port: 'metrics',
          scheme: 'https',
          bearerTokenFile: TOKEN_FILE,
          tlsConfig: { ca: authority(settings), serverName: webhookDnsName(settings.namespace) },
        },
      ],
    },
  };
}

/** Where the authority of the serving certificate stands. */
function authority({ certificates }: ManifestSettings): object {
  switch (certificates.mode) {
    case 'cert-manager':
    case 'mounted':
      return { secret: { name: NAMES.servingSecret, key: 'ca.crt' } };
    case 'self-managed':
      return { secret: { name: NAMES.selfManagedSecret, key: 'ca.crt' } };
    case 'csr':
      return { configMap: { name: NAMES.signerAuthorities, key: AUTHORITY_FILE } };
  }
}

/** Grafana's sidecar takes ConfigMaps with this label. */
function dashboard(settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: NAMES.dashboard,
      namespace: settings.namespace,
      labels: { ...labelsFor(settings, 'monitoring'), grafana_dashboard: '1' },
    },
    data: { 'homeostat.json': dashboardText() },
  };
}
