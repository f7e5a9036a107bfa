import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRunConfig } from '../../../src/app/run-config.ts';
import { Service } from '../../../src/app/service.ts';
import type { InstrumentOptions, Metrics } from '../../../src/base/metrics.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** A name in the sources that is one of a metric. */
const METRIC =
  /'((?:homeostat|workqueue|controller_runtime|rest_client|leader_election|informer|certwatcher)(?:_[a-z]+)+)'/g;

/** client-go's and controller-runtime's metrics of queues, controllers, requests, elections and certificates. */
const UPSTREAM = [
  ...['depth', 'adds_total', 'queue_duration_seconds', 'work_duration_seconds', 'unfinished_work_seconds'].map(
    (name) => `workqueue_${name}`,
  ),
  ...['workqueue_longest_running_processor_seconds', 'workqueue_retries_total'],
  ...['reconcile_total', 'reconcile_errors_total', 'terminal_reconcile_errors_total', 'reconcile_panics_total'].map(
    (name) => `controller_runtime_${name}`,
  ),
  ...['reconcile_timeouts_total', 'reconcile_time_seconds', 'max_concurrent_reconciles', 'active_workers'].map(
    (name) => `controller_runtime_${name}`,
  ),
  ...['rest_client_requests_total', 'leader_election_master_status'],
  ...['certwatcher_read_certificate_total', 'certwatcher_read_certificate_errors_total'],
];

interface Row {
  readonly name: string;
  readonly row: string;
}

async function documented(): Promise<readonly Row[]> {
  const text = await readFile(join(root, 'docs', 'metrics.md'), 'utf8');
  const [present = ''] = text.split('\n## Not here');
  return [...present.matchAll(/^\| `([a-z_]+)` .*$/gm)].map(([row, name = '']) => ({ name, row }));
}

/** The rows of everything that a service with all kinds measures from its start. */
function measured(): readonly Row[] {
  const rows: Row[] = [];
  const note =
    (type: string) =>
    ({ name, help, labels = [] }: InstrumentOptions) => {
      const named = labels.map((label) => `\`${label}\``).join(', ');
      const row = `| \`${name}\` | ${type} | ${named} | ${help} |`;
      if (!rows.some((known) => known.row === row)) rows.push({ name, row });
      return { add: () => undefined, set: () => undefined, remove: () => undefined, observe: () => undefined };
    };
  const metrics: Metrics = { counter: note('counter'), gauge: note('gauge'), histogram: note('histogram') };
  const connection = {
    server: new URL('https://127.0.0.1:6443'),
    description: 'a cluster that is never asked',
    namespace: undefined,
    credentials: () => Promise.reject(new Error('never asked')),
    invalidate: () => undefined,
  };
  const service = new Service({
    kinds,
    config: readRunConfig(['--namespace=homeostat-system'], {}),
    version: '0.0.0',
    connection,
    clock: new FakeClock(),
    random: seededRandom(),
    log: recordingLogger(),
    metrics: { metrics, contentType: '', render: () => Promise.resolve('') },
  });
  assert.equal(service.webhookPort, undefined);
  return rows;
}

test('docs/metrics.md lists every metric of the sources, once, and no other', async () => {
  const names = new Set<string>();
  for await (const file of glob('src/**/*.ts', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(METRIC)) names.add(name);
  }
  assert.deepEqual((await documented()).map(({ name }) => name).toSorted(), [...names].toSorted());
});

test('docs/metrics.md gives each metric its type, labels and meaning', async () => {
  const rows = new Map((await documented()).map(({ name, row }) => [name, row]));
  for (const { name, row } of measured()) assert.equal(rows.get(name), row);
});

test('the metrics of client-go and controller-runtime are there from the start, under their names', () => {
  const names = new Set(measured().map(({ name }) => name));
  assert.deepEqual(
    UPSTREAM.filter((name) => !names.has(name)),
    [],
  );
});
