import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

test('instruments asked for twice are one, and the text shows them', async () => {
  const registry = createMetrics({ processMetrics: false });
  const options = { name: 'things_total', help: 'Things.', labels: ['result'] };
  registry.metrics.counter(options).add({ result: 'good' });
  registry.metrics.counter(options).add({ result: 'good' }, 2);
  assert.match(await registry.render(), /things_total\{result="good"\} 3/);
});

test('one name with two types is refused', () => {
  const { metrics } = createMetrics({ processMetrics: false });
  metrics.counter({ name: 'things', help: 'Things.' });
  assert.throws(() => metrics.gauge({ name: 'things', help: 'Things.' }), { code: 'HOMEOSTAT_METRIC_CLASH' });
});

test('two registries share nothing', async () => {
  const first = createMetrics({ processMetrics: false });
  const second = createMetrics({ processMetrics: false });
  first.metrics.gauge({ name: 'level', help: 'Level.' }).set(4);
  assert.doesNotMatch(await second.render(), /level/);
});
