import { bucketsOf, own } from './promql.ts';

/** One line of a panel: what is drawn, and what each series is called. */
interface Query {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  /** What a person should see in it. */
  readonly description: string;
  /** A single number, or lines over time. */
  readonly type: 'stat' | 'timeseries';
  /** Unit in Grafana's words. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Grafana's grid is 24 wide. */
const GRID_WIDTH = 24;
const STAT_HEIGHT = 4;
const GRAPH_HEIGHT = 8;

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** The dashboard as Grafana imports it. Every query names our own job, so that other controllers do not mix in. */
export function renderDashboard(): object {
  return {
    title: 'Homeostat',
    uid: 'homeostat',
    description: 'Reviews, reconciles, caches and certificates of Homeostat.',
    tags: ['homeostat', 'kubernetes'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    annotations: { list: [] },
    panels: layOut([overview(), admission(), controllers(), apiServer(), process()]),
  };
}

/** The dashboard as the text of a file. */
export function dashboardText(): string {
  return `${JSON.stringify(renderDashboard(), null, 2)}\n`;
}

function layOut(rows: readonly Row[]): readonly object[] {
  const placed: object[] = [];
  let top = 0;
  for (const { title, panels } of rows) {
    placed.push({ id: placed.length + 1, type: 'row', title, collapsed: false, gridPos: at(0, top, GRID_WIDTH, 1) });
    top += 1;
    const width = GRID_WIDTH / panels.length;
    const height = Math.max(...panels.map(({ type }) => (type === 'stat' ? STAT_HEIGHT : GRAPH_HEIGHT)));
    for (const [index, panel] of panels.entries()) {
      placed.push({ id: placed.length + 1, ...draw(panel), gridPos: at(index * width, top, width, height) });
    }
    top += height;
  }
  return placed;
}

function at(x: number, y: number, w: number, h: number): object {
  return { x, y, w, h };
}

function draw({ title, description, type, unit, queries }: Panel): object {
  return {
    type,
    title,
    description,
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options:
      type === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'] }, graphMode: 'area' }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}

function stat(title: string, description: string, unit: string, expr: string): Panel {
  return { title, description, type: 'stat', unit, queries: [{ expr, legend: '' }] };
}

function graph(title: string, description: string, unit: string, queries: readonly Query[]): Panel {
  return { title, description, type: 'timeseries', unit, queries };
}

const rate = (series: string, by: string): string => `sum by (${by}) (rate(${series}[$__rate_interval]))`;
const p99 = (metric: string, by: string): string =>
  `histogram_quantile(0.99, sum by (${by}, le) (rate(${bucketsOf(metric)}[$__rate_interval])))`;

function overview(): Row {
  const faults = own('homeostat_admission_verdicts_total', 'verdict="fault"');
  return {
    title: 'Overview',
    panels: [
      stat('Pods', 'Pods that are scraped.', 'none', `count(${own('homeostat_build_info')})`),
      stat('Leaders', 'One for each Lease.', 'none', `sum(${own('leader_election_master_status')})`),
      stat('Faults a second', 'Reviews without a verdict.', 'reqps', `sum(rate(${faults}[$__rate_interval]))`),
      stat(
        'Not Ready',
        'Objects with Ready=False.',
        'none',
        `sum(max by (kind) (${own('homeostat_object_conditions', 'condition="Ready"', 'status="False"')}))`,
      ),
      stat(
        'Certificate ends in',
        'The Pod whose certificate ends first.',
        's',
        `min(${own('homeostat_tls_not_after_seconds')} > 0) - time()`,
      ),
      stat(
        'Hooks that differ',
        'Registered otherwise than rendered.',
        'none',
        `max(${own('homeostat_hook_config_drift')})`,
      ),
    ],
  };
}

function admission(): Row {
  return {
    title: 'Admission',
    panels: [
      graph('Verdicts', 'Reviews by what was answered.', 'reqps', [
        { expr: rate(own('homeostat_admission_verdicts_total'), 'verdict'), legend: '{{verdict}}' },
      ]),
      graph('Time of a review, p99', 'The API server waits 2 to 5 seconds.', 's', [
        { expr: p99('homeostat_admission_duration_seconds', 'hook'), legend: '{{hook}}' },
      ]),
      graph('Denials by rule', 'Which rules refuse.', 'reqps', [
        { expr: rate(own('homeostat_admission_rule_denials_total'), 'rule'), legend: '{{rule}}' },
      ]),
    ],
  };
}

function controllers(): Row {
  return {
    title: 'Controllers',
    panels: [
      graph('Reconciles', 'By controller and result.', 'ops', [
        {
          expr: rate(own('controller_runtime_reconcile_total'), 'controller, result'),
          legend: '{{controller}} {{result}}',
        },
      ]),
      graph('Time of a reconcile, p99', 'By controller.', 's', [
        { expr: p99('controller_runtime_reconcile_time_seconds', 'controller'), legend: '{{controller}}' },
      ]),
      graph('Waiting objects', 'Of every Pod; those of a standby wait for its turn.', 'none', [
        { expr: `sum by (controller, pod) (${own('workqueue_depth')})`, legend: '{{controller}} {{pod}}' },
      ]),
      graph('Brought back, and written for nothing', 'Drift, and applies without effect.', 'ops', [
        { expr: rate(own('homeostat_drift_corrections_total'), 'kind, child'), legend: 'drift {{kind}} {{child}}' },
        { expr: rate(own('homeostat_noop_writes_total'), 'kind, child'), legend: 'no-op {{kind}} {{child}}' },
      ]),
    ],
  };
}

function apiServer(): Row {
  return {
    title: 'API server and caches',
    panels: [
      graph('Requests', 'By method and status.', 'reqps', [
        { expr: rate(own('rest_client_requests_total'), 'method, code'), legend: '{{method}} {{code}}' },
      ]),
      graph('Silence of a cache', 'A bookmark comes once a minute.', 's', [
        {
          expr: `max by (resource) (${own('homeostat_informer_last_event_age_seconds')})`,
          legend: '{{resource}}',
        },
      ]),
      graph('Objects in the caches', 'By resource, of the fullest Pod.', 'none', [
        { expr: `max by (resource) (${own('homeostat_informer_objects')})`, legend: '{{resource}}' },
      ]),
    ],
  };
}

function process(): Row {
  return {
    title: 'Process',
    panels: [
      graph('Delay of the event loop, p99', 'Reviews and lease renewals wait as long.', 's', [
        { expr: own('nodejs_eventloop_lag_p99_seconds'), legend: '{{pod}}' },
      ]),
      graph('Memory', 'Resident, and used heap.', 'bytes', [
        { expr: own('process_resident_memory_bytes'), legend: '{{pod}} resident' },
        { expr: own('nodejs_heap_size_used_bytes'), legend: '{{pod}} heap' },
      ]),
      graph('CPU', 'Cores in use.', 'none', [
        { expr: `rate(${own('process_cpu_seconds_total')}[$__rate_interval])`, legend: '{{pod}}' },
      ]),
    ],
  };
}
