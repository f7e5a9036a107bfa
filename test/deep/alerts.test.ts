import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { kinds } from '../../src/kinds/index.ts';
import { alertGroups, renderAlerts } from '../../src/manifests/prometheus-rule.ts';
import { defaultManifestSettings } from '../../src/manifests/settings.ts';
import { toolProgram } from '../controlplane/program-path.ts';
import { type AlertScenario, alertScenarios, type Series } from './alert-scenarios.ts';

const folder = await mkdtemp(join(tmpdir(), 'homeostat-alerts-'));
after(async () => rm(folder, { recursive: true }));
const promtool = await toolProgram('promtool');
const rules = join(folder, 'rules.json');
await writeFile(rules, JSON.stringify(renderAlerts(kinds, defaultManifestSettings('1.2.3'))['spec']));

const alerts = alertGroups(kinds).flatMap((group) => group.alerts.map(({ name }) => name));

const run = async (...args: readonly string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(promtool, [...args], { cwd: folder });
  return stdout + stderr;
};

/** One test of promtool: whether the alert is raised at the scenario's time over these series. */
const ruleTest = ({ alert, at = '40m' }: AlertScenario, series: Series, raised: boolean): object => ({
  name: `${alert} ${raised ? 'raised' : 'quiet'}`,
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
      eval_time: at,
      exp_samples: [{ labels: '{}', value: raised ? 1 : 0 }],
    },
  ],
});

test('promtool finds nothing wrong with the rules', async () => {
  const report = await run('check', 'rules', '--lint=all', '--lint-fatal', rules);
  assert.ok(report.includes(` ${alerts.length} rules found`), report);
});

test('each alert has a scenario', () => {
  assert.deepEqual(alertScenarios.map(({ alert }) => alert).toSorted(), alerts.toSorted());
});

for (const scenario of alertScenarios) {
  test(`${scenario.alert} is raised when it should be, and not when something like it goes on`, async () => {
    const file = join(folder, `${scenario.alert}.json`);
    const tests = [ruleTest(scenario, scenario.raised, true), ruleTest(scenario, scenario.quiet, false)];
    await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
    assert.match(await run('test', 'rules', file), /SUCCESS/);
  });
}
