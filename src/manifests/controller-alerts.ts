import type { Alert } from './alert.ts';
import { countOf, own, shareAbove } from './promql.ts';

/** Alerts about leading, reconciling and the caches. */
export function controllerAlerts(): readonly Alert[] {
  return [...leaderAlerts(), ...reconcileAlerts(), ...writeAlerts(), ...cacheAlerts()];
}

function leaderAlerts(): readonly Alert[] {
  const leaders = `sum by (name) (${own('leader_election_master_status')})`;
  return [
    {
      name: 'HomeostatLeaderMissing',
      severity: 'critical',
      for: '3m',
      expr: `${leaders} == 0`,
      summary: 'No replica leads: nothing is reconciled.',
      description: 'No replica holds the Lease {{ $labels.name }}. Webhooks answer, but no object is reconciled.',
    },
    {
      name: 'HomeostatTwoLeaders',
      severity: 'critical',
      for: '2m',
      expr: `${leaders} > 1`,
      summary: 'Several replicas believe that they lead.',
      description: '{{ $value }} replicas say that they hold the Lease {{ $labels.name }}.',
    },
    {
      name: 'HomeostatShardsUneven',
      severity: 'critical',
      for: '5m',
      expr: `max by (type) (${own('homeostat_shard_findings', 'type=~"gap|overlap|handover"')}) > 0`,
      summary: 'Objects belong to no instance, or to several, or are not handed to theirs.',
      description: 'The audit of shards finds {{ $labels.type }} at {{ $value }} objects.',
    },
    {
      name: 'HomeostatLeaseRenewalsFail',
      severity: 'warning',
      for: '5m',
      expr: `sum by (pod, name) (increase(${own('homeostat_leader_election_renew_failures_total')}[10m])) > 5`,
      summary: 'The leader renews its Lease with difficulty and is about to lose it.',
      description: 'Renewals of the Lease {{ $labels.name }} by Pod {{ $labels.pod }} fail.',
    },
  ];
}

function reconcileAlerts(): readonly Alert[] {
  // A standby's queues hold keys that nobody takes; they count for the leader alone.
  const leading = `group_left () max by (namespace, pod) (${own('leader_election_master_status')})`;
  const waiting = `sum by (controller) (${own('workqueue_depth')} * on (namespace, pod) ${leading}) > 0`;
  const done = `sum by (controller) (rate(${countOf('workqueue_work_duration_seconds')}[10m])) == 0`;
  return [
    {
      name: 'HomeostatQueueStuck',
      severity: 'critical',
      for: '10m',
      expr: `(${waiting}) and (${done})`,
      summary: 'Objects wait to be reconciled and none is.',
      description:
        '{{ $value }} objects wait for the controller {{ $labels.controller }}, which has ended no reconcile in 10 minutes.',
    },
    {
      name: 'HomeostatReconcileHanging',
      severity: 'warning',
      for: '5m',
      expr: `max by (pod, controller) (${own('workqueue_longest_running_processor_seconds')}) > 600`,
      summary: 'A reconcile does not come back.',
      description:
        'A reconcile of the controller {{ $labels.controller }} in Pod {{ $labels.pod }} runs for {{ $value | humanizeDuration }}.',
    },
    {
      name: 'HomeostatReconcileErrors',
      severity: 'warning',
      for: '15m',
      expr: shareAbove(0.1, {
        part: own('controller_runtime_reconcile_total', 'result="error"'),
        whole: own('controller_runtime_reconcile_total'),
        by: 'controller',
        window: '10m',
      }),
      summary: 'More than one reconcile in ten fails.',
      description:
        '{{ $value | humanizePercentage }} of the reconciles of the controller {{ $labels.controller }} fail.',
    },
    {
      name: 'HomeostatReconcileBug',
      severity: 'warning',
      for: '0m',
      expr: `sum by (controller) (increase(${own('controller_runtime_reconcile_panics_total')}[15m])) > 0`,
      summary: 'A reconcile ended in a bug.',
      description: 'A reconcile of the controller {{ $labels.controller }} threw what it should not throw.',
    },
    {
      name: 'HomeostatObjectsNotReady',
      severity: 'warning',
      for: '30m',
      expr: `max by (kind) (${own('homeostat_object_conditions', 'condition="Ready"', 'status="False"')}) > 0`,
      summary: 'Objects are not Ready and do not become so by themselves.',
      description: '{{ $value }} objects of kind {{ $labels.kind }} have Ready=False.',
    },
  ];
}

function writeAlerts(): readonly Alert[] {
  return [
    {
      name: 'HomeostatHotLoop',
      severity: 'warning',
      for: '15m',
      expr: `sum by (kind, child) (rate(${own('homeostat_noop_writes_total')}[15m])) > 0.02`,
      summary: 'The same child is written again and again without a change.',
      description:
        'Writes of {{ $labels.child }} for {{ $labels.kind }} change nothing, {{ $value | humanize }} of them a second.',
    },
    {
      name: 'HomeostatDriftFight',
      severity: 'warning',
      for: '15m',
      expr: `sum by (kind, child) (increase(${own('homeostat_drift_corrections_total')}[30m])) > 20`,
      summary: 'Somebody changes a child as often as it is brought back.',
      description:
        '{{ $labels.child }} of {{ $labels.kind }} was brought back {{ $value | humanize }} times in 30 minutes.',
    },
    {
      name: 'HomeostatOrphanedChildren',
      severity: 'info',
      for: '1h',
      expr: `max by (kind) (${own('homeostat_orphaned_children')}) > 0`,
      summary: 'Children of an earlier version are kept by no step.',
      description: '{{ $value }} children of {{ $labels.kind }} were made by a step that this version does not have.',
    },
  ];
}

function cacheAlerts(): readonly Alert[] {
  return [
    {
      name: 'HomeostatCacheStale',
      severity: 'warning',
      for: '5m',
      expr: `max by (pod, resource) (${own('homeostat_informer_last_event_age_seconds')}) > 300`,
      summary: 'A cache has heard nothing from the API server for minutes.',
      description:
        'Pod {{ $labels.pod }} has heard nothing about {{ $labels.resource }} for {{ $value | humanizeDuration }}.',
    },
    {
      name: 'HomeostatWatchErrors',
      severity: 'warning',
      for: '15m',
      expr: `sum by (pod, resource, reason) (rate(${own('homeostat_watch_errors_total')}[10m])) > 0.02`,
      summary: 'Lists and watches fail.',
      description: 'Pod {{ $labels.pod }} cannot list or watch {{ $labels.resource }}: {{ $labels.reason }}.',
    },
    {
      name: 'HomeostatEventLoopBlocked',
      severity: 'warning',
      for: '15m',
      expr: `${own('nodejs_eventloop_lag_p99_seconds')} > 0.2`,
      summary: 'The process is too busy to answer in time.',
      description:
        'The event loop of Pod {{ $labels.pod }} comes {{ $value | humanizeDuration }} late, one turn in a hundred.',
    },
  ];
}
