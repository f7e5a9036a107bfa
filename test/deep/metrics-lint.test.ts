import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { readRunConfig } from '../../src/app/run-config.ts';
import { Service } from '../../src/app/service.ts';
import { kinds } from '../../src/kinds/index.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { toolProgram } from '../controlplane/program-path.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingLogger } from '../support/silent-ports.ts';

/** What a service of all kinds would answer a scraper at its start. */
async function exposition(): Promise<string> {
  const metrics = createMetrics({ processMetrics: true });
  const service = new Service({
    kinds,
    config: readRunConfig(['--namespace=homeostat-system'], {}),
    version: '0.0.0',
    connection: {
      server: new URL('https://127.0.0.1:6443'),
      description: 'a cluster that is never asked',
      namespace: undefined,
      credentials: () => Promise.reject(new Error('never asked')),
      invalidate: () => undefined,
    },
    clock: new FakeClock(),
    random: seededRandom(),
    log: recordingLogger(),
    metrics,
  });
  assert.equal(service.webhookPort, undefined);
  return metrics.render();
}

test('promtool finds nothing wrong with our metrics', async () => {
  const program = await toolProgram('promtool');
  const text = await exposition();
  assert.match(text, /^homeostat_admission_verdicts_total/m);
  const report = await new Promise<string>((resolve) => {
    const child = execFile(program, ['check', 'metrics'], (_error, stdout, stderr) => resolve(stdout + stderr));
    child.stdin?.end(text);
  });
  // What prom-client says of the process bears prom-client's names.
  const ours = report.split('\n').filter((line) => line !== '' && !/^(?:nodejs|process)_/.test(line));
  assert.deepEqual(ours, []);
});
