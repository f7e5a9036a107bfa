import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { renderDashboard } from '../../../src/manifests/dashboard.ts';
import { alertGroups, renderAlerts } from '../../../src/manifests/prometheus-rule.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';

const docs = join(import.meta.dirname, '..', '..', '..', 'docs');
const alerts = alertGroups(kinds).flatMap((group) => group.alerts);
const rules = JSON.stringify(renderAlerts(kinds, defaultManifestSettings('1.2.3')));

/** Names of metrics in an expression: what stands before a selector. */
const metricsIn = (text: string): readonly string[] => {
  const names = [...text.matchAll(/([a-z][a-z0-9_]+)\{/g)].map(([, name = '']) => name);
  return names.map((name) => name.replace(/_seconds_(bucket|count|sum)$/, '_seconds'));
};

async function documented(): Promise<ReadonlySet<string>> {
  const pages = await Promise.all(['metrics.md', 'monitoring.md'].map((page) => readFile(join(docs, page), 'utf8')));
  const [present = ''] = pages.join('\n').split('\n## Not here');
  return new Set([...`${present}${pages[1]}`.matchAll(/`([a-z]+(?:_[a-z0-9]+)+)`/g)].map(([, name = '']) => name));
}

test('every metric of an alert or a panel is one that docs/metrics.md or docs/monitoring.md lists', async () => {
  const known = await documented();
  const used = [...alerts.map(({ expr }) => expr), JSON.stringify(renderDashboard())].flatMap(metricsIn);
  assert.ok(used.length > 40);
  assert.deepEqual(
    used.filter((name) => !known.has(name)),
    [],
  );
});

/** Labels that Prometheus itself puts on, and those of the API server's metrics. */
const OTHER_LABELS = ['job', 'namespace', 'pod', 'le', 'name', 'error_type'];

test('every label of an expression is one of its metrics', async () => {
  const text = await readFile(join(docs, 'metrics.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z0-9_]+)` \| \w+ \| ([^|]*) \|/gm)];
  const labelsOf = new Map(rows.map(([, name = '', labels = '']) => [name, labels.match(/\w+/g) ?? []]));
  for (const { name, expr } of alerts) {
    const known = new Set([...metricsIn(expr).flatMap((metric) => labelsOf.get(metric) ?? []), ...OTHER_LABELS]);
    const grouped = [...expr.matchAll(/(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    const matched = [...expr.matchAll(/[{,](\w+)(?:=|!=)/g)].map(([, label = '']) => label);
    for (const label of [...grouped, ...matched]) assert.ok(known.has(label), `${name}: ${label}`);
  }
});

test('every alert has a runbook, and every runbook an alert', async () => {
  const pages = (await readdir(join(docs, 'runbooks'))).filter((name) => name.startsWith('Homeostat'));
  assert.deepEqual(pages.toSorted(), alerts.map(({ name }) => `${name}.md`).toSorted());
});

test('every runbook says what it means, what it does to users, how to look and how to mend', async () => {
  for (const { name } of alerts) {
    const text = await readFile(join(docs, 'runbooks', `${name}.md`), 'utf8');
    const headings = [...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading);
    assert.deepEqual(headings, [`# ${name}`, '## Meaning', '## Impact', '## Diagnose', '## Mend'], name);
    assert.match(text.split('## Diagnose')[1] ?? '', /```/, name);
  }
});

test('every alert names its runbook', () => {
  for (const { name } of alerts) assert.ok(rules.includes(`/docs/runbooks/${name}.md`));
});

test('docs/monitoring.md lists the alerts as they are', async () => {
  const rows = [...(await readFile(join(docs, 'monitoring.md'), 'utf8')).matchAll(/^\| \[Homeostat.*$/gm)];
  assert.deepEqual(
    rows.map(([row]) => row),
    alerts.map(({ name, severity, summary }) => `| [${name}](runbooks/${name}.md) | ${severity} | ${summary} |`),
  );
});

test('a description speaks of labels that its expression keeps', () => {
  for (const { name, description, expr } of alerts) {
    const labels = [...description.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    const kept = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    // Without an aggregation every label of the series is kept.
    for (const label of labels) assert.ok(kept.length === 0 || kept.includes(label), `${name}: ${label}`);
  }
});

test('the names of hooks are those that the API server counts by', () => {
  const [, pattern = ''] = /name=~"([^"]*)"/.exec(alerts.map(({ expr }) => expr).join(' ')) ?? [];
  for (const { name } of kinds.flatMap(({ hooks }) => hooks)) assert.match(name, new RegExp(`^(?:${pattern})$`));
  assert.doesNotMatch('validate.other.example.com', new RegExp(`^(?:${pattern})$`));
});

test('no panel overlaps another, and each has an id of its own', () => {
  const { panels } = renderDashboard() as { panels: { id: number; gridPos: Record<'x' | 'y' | 'w' | 'h', number> }[] };
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
  assert.ok(panels.every(({ gridPos }) => gridPos.x + gridPos.w <= 24 && Number.isInteger(gridPos.w)));
});
