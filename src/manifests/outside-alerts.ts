import type { Alert } from './alert.ts';
import { own, shareAbove } from './promql.ts';

/** Alerts about what the service depends on, and what depends on it. */
export function outsideAlerts(): readonly Alert[] {
  const requests = 'rest_client_requests_total';
  const vault = 'homeostat_vault_requests_total';
  return [
    {
      name: 'HomeostatForbidden',
      severity: 'warning',
      for: '10m',
      expr: `sum by (pod, method) (increase(${own(requests, 'code="403"')}[10m])) > 5`,
      summary: 'The API server refuses what Homeostat asks for.',
      description: '{{ $labels.method }} requests of Pod {{ $labels.pod }} are answered with 403.',
    },
    {
      name: 'HomeostatApiServerErrors',
      severity: 'warning',
      for: '10m',
      expr: shareAbove(0.1, {
        part: own(requests, 'code=~"5..|429|<error>"'),
        whole: own(requests),
        by: 'pod',
        window: '5m',
      }),
      summary: 'More than one request in ten to the API server fails.',
      description: '{{ $value | humanizePercentage }} of the requests of Pod {{ $labels.pod }} fail.',
    },
    {
      name: 'HomeostatVaultFailing',
      severity: 'warning',
      for: '10m',
      expr: shareAbove(0.1, {
        part: own(vault, 'status=~"0|5.."'),
        whole: own(vault),
        by: 'job',
        window: '10m',
      }),
      summary: 'Vault does not answer, or answers with errors.',
      description: '{{ $value | humanizePercentage }} of the requests to Vault fail.',
    },
    {
      name: 'HomeostatBackupsUnhealthy',
      severity: 'critical',
      for: '15m',
      expr: `max(${own('homeostat_object_conditions', 'kind="DatabaseBackup"', 'condition="BackupHealthy"', 'status="False"')}) > 0`,
      summary: 'Databases have no recent backup.',
      description: 'The last backup of {{ $value }} databases failed or is overdue.',
    },
    {
      name: 'HomeostatVersionsDiffer',
      severity: 'warning',
      for: '1h',
      expr: `count(count by (version) (${own('homeostat_build_info')})) > 1`,
      summary: 'Pods of several versions run side by side.',
      description: '{{ $value }} versions run; a rollout does not end, or an instance of a stage was left behind.',
    },
  ];
}
