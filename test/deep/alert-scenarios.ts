/** Series of Prometheus in the notation of its test files: values by series, one a minute. */
export type Series = Readonly<Record<string, string>>;

/** When an alert is raised, and when it is not although something like it goes on. */
export interface AlertScenario {
  readonly alert: string;
  readonly raised: Series;
  readonly quiet: Series;
  /** When to look. @defaultValue `40m` */
  readonly at?: string;
}

/** A series of ours. */
const own = (metric: string, labels = ''): string =>
  `${metric}{job="homeostat-metrics",namespace="homeostat-system"${labels === '' ? '' : `,${labels}`}}`;

const TWO_WEEKS = 14 * 86_400;
const HOOK = 'hook="validate.environments.homeostat.io"';
const REGISTERED = 'name="validate.environments.homeostat.io"';
const steady = (value: number): string => `${value}x120`;
const rising = (step: number): string => `0+${step}x120`;

/** Of webhooks and certificates. */
const webhooks: readonly AlertScenario[] = [
  {
    alert: 'HomeostatDown',
    raised: { 'homeostat_build_info{job="another"}': steady(1) },
    quiet: { [own('homeostat_build_info', 'pod="a"')]: steady(1) },
  },
  {
    alert: 'HomeostatWebhookUnreachable',
    raised: {
      [`apiserver_admission_webhook_rejection_count{${REGISTERED},error_type="calling_webhook_error"}`]: rising(6),
    },
    // A denial is none of it, and neither is another's hook.
    quiet: {
      [`apiserver_admission_webhook_rejection_count{${REGISTERED},error_type="no_error"}`]: rising(6),
      'apiserver_admission_webhook_rejection_count{name="a.example.com",error_type="calling_webhook_error"}': rising(6),
    },
  },
  {
    alert: 'HomeostatWebhookFailOpen',
    raised: { 'apiserver_admission_webhook_fail_open_count{name="inject.pods.vaultapps.homeostat.io"}': rising(1) },
    quiet: { 'apiserver_admission_webhook_fail_open_count{name="inject.pods.vaultapps.homeostat.io"}': steady(9) },
  },
  {
    alert: 'HomeostatWebhookFaults',
    raised: {
      [own('homeostat_admission_verdicts_total', `${HOOK},verdict="allow"`)]: rising(90),
      [own('homeostat_admission_verdicts_total', `${HOOK},verdict="fault"`)]: rising(10),
    },
    quiet: {
      [own('homeostat_admission_verdicts_total', `${HOOK},verdict="deny"`)]: rising(90),
      [own('homeostat_admission_verdicts_total', `${HOOK},verdict="fault"`)]: rising(1),
    },
  },
  {
    alert: 'HomeostatWebhookSlow',
    raised: {
      [own('homeostat_admission_duration_seconds_bucket', `${HOOK},le="1"`)]: rising(90),
      [own('homeostat_admission_duration_seconds_bucket', `${HOOK},le="2.5"`)]: rising(100),
      [own('homeostat_admission_duration_seconds_bucket', `${HOOK},le="+Inf"`)]: rising(100),
    },
    quiet: {
      [own('homeostat_admission_duration_seconds_bucket', `${HOOK},le="0.5"`)]: rising(100),
      [own('homeostat_admission_duration_seconds_bucket', `${HOOK},le="1"`)]: rising(100),
      [own('homeostat_admission_duration_seconds_bucket', `${HOOK},le="+Inf"`)]: rising(100),
    },
  },
  {
    alert: 'HomeostatDenialSpike',
    raised: { [own('homeostat_admission_rule_denials_total', 'rule="a.b"')]: rising(30) },
    quiet: { [own('homeostat_admission_rule_denials_total', 'rule="a.b"')]: rising(2) },
  },
  {
    alert: 'HomeostatCertificateExpiring',
    raised: { [own('homeostat_tls_not_after_seconds', 'pod="a"')]: steady(TWO_WEEKS - 3600) },
    // 0 is a Pod that has no certificate yet.
    quiet: {
      [own('homeostat_tls_not_after_seconds', 'pod="a"')]: steady(TWO_WEEKS * 2),
      [own('homeostat_tls_not_after_seconds', 'pod="b"')]: steady(0),
    },
    at: '90m',
  },
  {
    alert: 'HomeostatCertificateEnding',
    raised: { [own('homeostat_tls_not_after_seconds', 'pod="a"')]: steady(2 * 86_400) },
    quiet: { [own('homeostat_tls_not_after_seconds', 'pod="a"')]: steady(4 * 86_400) },
  },
  {
    alert: 'HomeostatCertificateStale',
    raised: { [own('homeostat_tls_reload_total', 'pod="a",result="refused"')]: '0x20 1x100' },
    quiet: { [own('homeostat_tls_reload_total', 'pod="a",result="success"')]: rising(1) },
  },
  {
    alert: 'HomeostatCaBundleMismatch',
    raised: { [own('homeostat_cabundle_verified', 'pod="a"')]: steady(0) },
    quiet: { [own('homeostat_cabundle_verified', 'pod="a"')]: '0x3 1x100' },
  },
  {
    alert: 'HomeostatHookDrift',
    raised: { [own('homeostat_hook_config_drift', 'pod="a"')]: steady(2) },
    quiet: { [own('homeostat_hook_config_drift', 'pod="a"')]: '0x30 1x8 0x80' },
  },
  {
    alert: 'HomeostatAdmissionBypassed',
    raised: { [own('homeostat_admission_bypassed_total', 'rule="a.b"')]: '_x70 1x50' },
    quiet: { [own('homeostat_admission_bypassed_total', 'rule="a.b"')]: steady(3) },
    at: '90m',
  },
  {
    alert: 'HomeostatInjectionMissed',
    raised: { [own('homeostat_injection_pods', 'state="missing"')]: steady(1) },
    quiet: { [own('homeostat_injection_pods', 'state="stale"')]: steady(5) },
  },
];

/** Of leading, reconciling and the caches. */
const controllers: readonly AlertScenario[] = [
  {
    alert: 'HomeostatLeaderMissing',
    raised: {
      [own('leader_election_master_status', 'name="homeostat",pod="a"')]: steady(0),
      [own('leader_election_master_status', 'name="homeostat",pod="b"')]: steady(0),
    },
    // A hand-over, and another controller's Lease.
    quiet: {
      [own('leader_election_master_status', 'name="homeostat",pod="a"')]: '1x35 0x80',
      [own('leader_election_master_status', 'name="homeostat",pod="b"')]: '0x36 1x80',
      'leader_election_master_status{job="another",name="x"}': steady(0),
    },
  },
  {
    alert: 'HomeostatTwoLeaders',
    raised: {
      [own('leader_election_master_status', 'name="homeostat",pod="a"')]: steady(1),
      [own('leader_election_master_status', 'name="homeostat",pod="b"')]: steady(1),
    },
    quiet: {
      [own('leader_election_master_status', 'name="homeostat",pod="a"')]: steady(1),
      [own('leader_election_master_status', 'name="homeostat-stage-dev",pod="b"')]: steady(1),
    },
  },
  {
    alert: 'HomeostatShardsUneven',
    raised: { [own('homeostat_shard_findings', 'pod="a",type="gap"')]: steady(3) },
    // A hand-over, and versions, which another alert tells of.
    quiet: {
      [own('homeostat_shard_findings', 'pod="a",type="overlap"')]: '0x36 1x2 0x80',
      [own('homeostat_shard_findings', 'pod="a",type="version"')]: steady(1),
    },
  },
  {
    alert: 'HomeostatLeaseRenewalsFail',
    raised: { [own('homeostat_leader_election_renew_failures_total', 'name="homeostat",pod="a"')]: rising(2) },
    quiet: { [own('homeostat_leader_election_renew_failures_total', 'name="homeostat",pod="a"')]: '0x30 3x90' },
  },
  {
    alert: 'HomeostatQueueStuck',
    raised: {
      [own('leader_election_master_status', 'name="homeostat",pod="a"')]: steady(1),
      [own('workqueue_depth', 'controller="environment",pod="a"')]: steady(7),
      [own('workqueue_work_duration_seconds_count', 'controller="environment",pod="a"')]: steady(40),
    },
    // What waits at a standby waits for its turn.
    quiet: {
      [own('leader_election_master_status', 'name="homeostat",pod="a"')]: steady(1),
      [own('leader_election_master_status', 'name="homeostat",pod="b"')]: steady(0),
      [own('workqueue_depth', 'controller="environment",pod="a"')]: steady(0),
      [own('workqueue_depth', 'controller="environment",pod="b"')]: steady(7),
      [own('workqueue_work_duration_seconds_count', 'controller="environment",pod="a"')]: steady(40),
    },
  },
  {
    alert: 'HomeostatReconcileHanging',
    raised: {
      [own('workqueue_longest_running_processor_seconds', 'controller="environment",pod="a"')]: rising(60),
    },
    quiet: {
      [own('workqueue_longest_running_processor_seconds', 'controller="environment",pod="a"')]: steady(90),
    },
  },
  {
    alert: 'HomeostatReconcileErrors',
    raised: {
      [own('controller_runtime_reconcile_total', 'controller="environment",result="success"')]: rising(8),
      [own('controller_runtime_reconcile_total', 'controller="environment",result="error"')]: rising(2),
    },
    quiet: {
      [own('controller_runtime_reconcile_total', 'controller="environment",result="requeue_after"')]: rising(40),
      [own('controller_runtime_reconcile_total', 'controller="environment",result="error"')]: rising(2),
    },
  },
  {
    alert: 'HomeostatReconcileBug',
    raised: { [own('controller_runtime_reconcile_panics_total', 'controller="environment"')]: '0x30 1x90' },
    quiet: { [own('controller_runtime_reconcile_panics_total', 'controller="environment"')]: steady(2) },
  },
  {
    alert: 'HomeostatObjectsNotReady',
    raised: {
      [own('homeostat_object_conditions', 'kind="Environment",condition="Ready",status="False"')]: steady(1),
    },
    quiet: {
      [own('homeostat_object_conditions', 'kind="Environment",condition="Ready",status="False"')]: '0x20 1x15 0x80',
      [own('homeostat_object_conditions', 'kind="Environment",condition="Ready",status="Unknown"')]: steady(3),
    },
  },
  {
    alert: 'HomeostatHotLoop',
    raised: { [own('homeostat_noop_writes_total', 'kind="Environment",child="ResourceQuota"')]: rising(3) },
    quiet: { [own('homeostat_noop_writes_total', 'kind="Environment",child="ResourceQuota"')]: '0x20 5x100' },
  },
  {
    alert: 'HomeostatDriftFight',
    raised: { [own('homeostat_drift_corrections_total', 'kind="Environment",child="RoleBinding"')]: rising(2) },
    quiet: { [own('homeostat_drift_corrections_total', 'kind="Environment",child="RoleBinding"')]: '0x20 9x100' },
    at: '60m',
  },
  {
    alert: 'HomeostatOrphanedChildren',
    raised: { [own('homeostat_orphaned_children', 'kind="Environment"')]: steady(1) },
    quiet: { [own('homeostat_orphaned_children', 'kind="Environment"')]: steady(0) },
    at: '90m',
  },
  {
    alert: 'HomeostatCacheStale',
    raised: { [own('homeostat_informer_last_event_age_seconds', 'pod="a",resource="environments"')]: rising(60) },
    quiet: { [own('homeostat_informer_last_event_age_seconds', 'pod="a",resource="environments"')]: steady(61) },
  },
  {
    alert: 'HomeostatWatchErrors',
    raised: {
      [own('homeostat_watch_errors_total', 'pod="a",resource="environments",verb="list",reason="forbidden"')]:
        rising(2),
    },
    quiet: {
      [own('homeostat_watch_errors_total', 'pod="a",resource="environments",verb="watch",reason="expired"')]:
        '0x30 2x90',
    },
  },
  {
    alert: 'HomeostatEventLoopBlocked',
    raised: { [own('nodejs_eventloop_lag_p99_seconds', 'pod="a"')]: steady(0.4) },
    quiet: { [own('nodejs_eventloop_lag_p99_seconds', 'pod="a"')]: steady(0.02) },
  },
];

/** Of what the service depends on, and what depends on it. */
const outside: readonly AlertScenario[] = [
  {
    alert: 'HomeostatForbidden',
    raised: { [own('rest_client_requests_total', 'pod="a",method="PATCH",code="403"')]: rising(1) },
    quiet: { [own('rest_client_requests_total', 'pod="a",method="PATCH",code="409"')]: rising(9) },
  },
  {
    alert: 'HomeostatApiServerErrors',
    raised: {
      [own('rest_client_requests_total', 'pod="a",method="GET",code="200"')]: rising(80),
      [own('rest_client_requests_total', 'pod="a",method="GET",code="503"')]: rising(10),
      [own('rest_client_requests_total', 'pod="a",method="GET",code="<error>"')]: rising(10),
    },
    quiet: {
      [own('rest_client_requests_total', 'pod="a",method="GET",code="200"')]: rising(80),
      [own('rest_client_requests_total', 'pod="a",method="GET",code="404"')]: rising(40),
      [own('rest_client_requests_total', 'pod="a",method="GET",code="429"')]: rising(1),
    },
  },
  {
    alert: 'HomeostatVaultFailing',
    raised: {
      [own('homeostat_vault_requests_total', 'operation="read",status="503"')]: rising(5),
      [own('homeostat_vault_requests_total', 'operation="read",status="200"')]: rising(5),
    },
    quiet: {
      [own('homeostat_vault_requests_total', 'operation="read",status="404"')]: rising(5),
      [own('homeostat_vault_requests_total', 'operation="read",status="200"')]: rising(5),
    },
  },
  {
    alert: 'HomeostatBackupsUnhealthy',
    raised: {
      [own('homeostat_object_conditions', 'kind="DatabaseBackup",condition="BackupHealthy",status="False"')]: steady(1),
    },
    quiet: {
      [own('homeostat_object_conditions', 'kind="DatabaseBackup",condition="BackupHealthy",status="Unknown"')]:
        steady(2),
      [own('homeostat_object_conditions', 'kind="DatabaseBackup",condition="BackupHealthy",status="True"')]: steady(2),
    },
  },
  {
    alert: 'HomeostatVersionsDiffer',
    raised: {
      [own('homeostat_build_info', 'pod="a",version="1.0.0"')]: steady(1),
      [own('homeostat_build_info', 'pod="b",version="1.1.0"')]: steady(1),
    },
    quiet: {
      [own('homeostat_build_info', 'pod="a",version="1.0.0"')]: steady(1),
      [own('homeostat_build_info', 'pod="b",version="1.0.0"')]: steady(1),
    },
    at: '90m',
  },
];

/** Each alert once. */
export const alertScenarios: readonly AlertScenario[] = [...webhooks, ...controllers, ...outside];
