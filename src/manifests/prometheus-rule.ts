import type { Manifest } from '../base/object.ts';
import type { Alert } from './alert.ts';
import { controllerAlerts } from './controller-alerts.ts';
import { outsideAlerts } from './outside-alerts.ts';
import { labelsFor, type ManifestSettings, NAMES } from './settings.ts';
import type { ManifestSlice } from './slice.ts';
import { webhookAlerts } from './webhook-alerts.ts';

/** Where the runbooks stand; the file is named after the alert. */
const RUNBOOKS = 'https://github.com/homeostat/homeostat/blob/main/docs/runbooks';

/** Alerts of one subject. */
export interface AlertGroup {
  readonly name: string;
  readonly alerts: readonly Alert[];
}

/** Every alert, by subject. */
export function alertGroups(kinds: readonly ManifestSlice[]): readonly AlertGroup[] {
  return [
    { name: 'homeostat.webhooks', alerts: webhookAlerts(kinds.flatMap((kind) => kind.hooks)) },
    { name: 'homeostat.controllers', alerts: controllerAlerts() },
    { name: 'homeostat.outside', alerts: outsideAlerts() },
  ];
}

/** The PrometheusRule of the Prometheus operator; its `spec` is a rule file of Prometheus itself. */
export function renderAlerts(kinds: readonly ManifestSlice[], settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: NAMES.app, namespace: settings.namespace, labels: labelsFor(settings, 'monitoring') },
    spec: {
      groups: alertGroups(kinds).map(({ name, alerts }) => ({
        name,
        rules: alerts.map((alert) => ({
          alert: alert.name,
          expr: alert.expr,
          for: alert.for,
          labels: { severity: alert.severity },
          annotations: {
            summary: alert.summary,
            description: alert.description,
            runbook_url: `${RUNBOOKS}/${alert.name}.md`,
          },
        })),
      })),
    },
  };
}
