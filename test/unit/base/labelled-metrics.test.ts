import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelledMetrics } from '../../../src/base/labelled-metrics.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';

test('every instrument bears the constant labels besides its own', async () => {
  const registry = createMetrics({ processMetrics: false });
  const metrics = labelledMetrics(registry.metrics, { host: 'h:1' });
  const counter = metrics.counter({ name: 'c', help: 'C.', labels: ['code'] });
  counter.add({ code: '200' });
  counter.add({ code: '200' }, 2);
  const gauge = metrics.gauge({ name: 'g', help: 'G.', labels: ['code'] });
  gauge.set(7, { code: '1' });
  gauge.set(8, { code: '2' });
  gauge.remove({ code: '1' });
  metrics.histogram({ name: 's', help: 'S.', buckets: [1] }).observe(0.5);
  const text = await registry.render();
  for (const line of [
    'c{code="200",host="h:1"} 3',
    'g{code="2",host="h:1"} 8',
    's_bucket{le="1",host="h:1"} 1',
    's_count{host="h:1"} 1',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
  }
  assert.ok(!text.includes('code="1"'));
});
