import type { Hook } from '../base/hook.ts';
import type { Alert } from './alert.ts';
import { bucketsOf, own, shareAbove } from './promql.ts';

const DAY_SECONDS = 86_400;

/** Alerts about reviews, certificates and what is registered. */
export function webhookAlerts(hooks: readonly Hook[]): readonly Alert[] {
  return [...reviewAlerts(hooks), ...certificateAlerts(), ...registrationAlerts()];
}

function reviewAlerts(hooks: readonly Hook[]): readonly Alert[] {
  const registered = `name=~"${hookNames(hooks)}"`;
  const bound = slowSeconds(hooks);
  return [
    {
      name: 'HomeostatDown',
      severity: 'critical',
      for: '5m',
      expr: `absent(${own('homeostat_build_info')})`,
      summary: 'No Pod of Homeostat can be scraped.',
      description:
        'Either no Pod runs, or Prometheus may not scrape. While no Pod runs, our own kinds cannot be created or changed.',
    },
    {
      name: 'HomeostatWebhookUnreachable',
      severity: 'critical',
      for: '5m',
      expr: `sum by (name) (rate(apiserver_admission_webhook_rejection_count{${registered},error_type!="no_error"}[5m])) > 0`,
      summary: 'The API server gets no verdict from a webhook and refuses requests.',
      description: 'Requests are refused because {{ $labels.name }} could not be called or did not answer in time.',
    },
    {
      name: 'HomeostatWebhookFailOpen',
      severity: 'warning',
      for: '5m',
      expr: `sum by (name) (rate(apiserver_admission_webhook_fail_open_count{${registered}}[5m])) > 0`,
      summary: 'The API server lets requests pass without asking a webhook.',
      description: 'Calls of {{ $labels.name }} fail, and its failurePolicy Ignore lets the requests pass unseen.',
    },
    {
      name: 'HomeostatWebhookFaults',
      severity: 'critical',
      for: '5m',
      expr: shareAbove(0.05, {
        part: own('homeostat_admission_verdicts_total', 'verdict="fault"'),
        whole: own('homeostat_admission_verdicts_total'),
        by: 'hook',
        window: '5m',
      }),
      summary: 'Homeostat answers reviews without a verdict.',
      description: '{{ $value | humanizePercentage }} of the reviews of {{ $labels.hook }} end in a fault.',
    },
    {
      name: 'HomeostatWebhookSlow',
      severity: 'warning',
      for: '10m',
      expr: `histogram_quantile(0.99, sum by (hook, le) (rate(${bucketsOf('homeostat_admission_duration_seconds')}[5m]))) > ${bound}`,
      summary: 'Reviews take more than half of the time the API server gives the quickest hook.',
      description: 'One in a hundred reviews of {{ $labels.hook }} takes {{ $value | humanizeDuration }} or more.',
    },
    {
      name: 'HomeostatDenialSpike',
      severity: 'info',
      for: '15m',
      expr: `sum by (rule) (rate(${own('homeostat_admission_rule_denials_total')}[15m])) > 0.2`,
      summary: 'One rule refuses many requests.',
      description: 'Rule {{ $labels.rule }} refuses {{ $value | humanize }} requests a second.',
    },
  ];
}

/** Half of the shortest time in which the API server wants an answer. */
function slowSeconds(hooks: readonly Hook[]): number {
  return Math.min(...hooks.map(({ timeoutSeconds }) => timeoutSeconds)) / 2;
}

/** The hooks end in the groups of the kinds they serve: their names without the phase and the resource. */
function hookNames(hooks: readonly Hook[]): string {
  const groups = new Set(hooks.map(({ name }) => name.split('.').slice(-2).join('[.]')));
  return `.+[.](${[...groups].toSorted().join('|')})`;
}

function certificateAlerts(): readonly Alert[] {
  const left = `(${own('homeostat_tls_not_after_seconds')} > 0) - time()`;
  const description = 'Pod {{ $labels.pod }} serves a certificate that ends in {{ $value | humanizeDuration }}.';
  return [
    {
      name: 'HomeostatCertificateExpiring',
      severity: 'warning',
      for: '1h',
      expr: `${left} < ${14 * DAY_SECONDS}`,
      summary: 'The serving certificate ends within two weeks and has not been renewed.',
      description,
    },
    {
      name: 'HomeostatCertificateEnding',
      severity: 'critical',
      for: '15m',
      expr: `${left} < ${3 * DAY_SECONDS}`,
      summary: 'The serving certificate ends within three days.',
      description,
    },
    {
      name: 'HomeostatCertificateStale',
      severity: 'warning',
      for: '5m',
      expr: `sum by (pod) (increase(${own('homeostat_tls_reload_total', 'result="refused"')}[30m])) > 0`,
      summary: 'A new serving certificate was refused; the old one is still served.',
      description: 'Pod {{ $labels.pod }} found a certificate that it cannot use and keeps the one before it.',
    },
  ];
}

function registrationAlerts(): readonly Alert[] {
  // A rule has no series before its first bypass, so that increase() would not see it.
  const bypassed = own('homeostat_admission_bypassed_total');
  return [
    {
      name: 'HomeostatCaBundleMismatch',
      severity: 'critical',
      for: '5m',
      expr: `min by (pod) (${own('homeostat_cabundle_verified')}) == 0`,
      summary: 'The API server does not trust the certificate that is served.',
      description: 'A caBundle of the webhook configurations does not verify the certificate of Pod {{ $labels.pod }}.',
    },
    {
      name: 'HomeostatHookDrift',
      severity: 'warning',
      for: '15m',
      expr: `max(${own('homeostat_hook_config_drift')}) > 0`,
      summary: 'The webhook configurations of the cluster are not those of this version.',
      description: '{{ $value }} hooks are registered otherwise than this version renders them.',
    },
    {
      name: 'HomeostatAdmissionBypassed',
      severity: 'warning',
      for: '0m',
      expr: `sum by (rule) (${bypassed} - (${bypassed} offset 1h or 0 * ${bypassed})) > 0`,
      summary: 'Objects are stored that a webhook would have refused.',
      description: 'The controller met objects that break rule {{ $labels.rule }}; it does not act on them.',
    },
    {
      name: 'HomeostatInjectionMissed',
      severity: 'warning',
      for: '15m',
      expr: `max(${own('homeostat_injection_pods', 'state="missing"')}) > 0`,
      summary: 'Pods run without what they asked to have injected.',
      description: '{{ $value }} Pods were created while the hook for Pods was away and lack their injection.',
    },
  ];
}
