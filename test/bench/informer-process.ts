// The process that the informer bench measures: informers of this project as they are built into dist, and nothing else.
//   informer-process DIST cache SERVER CREDENTIALS     fills a cache of all ConfigMaps, tells of it, and lives on
//   informer-process DIST watches SERVER CREDENTIALS   opens 250 watches, tells of it, and lives on
// CREDENTIALS is a folder as a Pod has it.
// The bench strips its types first, and it imports nothing but types: Node's own stripping would be measured too.
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type * as systemPorts from '../../src/app/system-ports.ts';
import type * as clients from '../../src/kube/http-client.ts';
import type * as connections from '../../src/kube/load-connection.ts';
import type * as transports from '../../src/kube/undici-transport.ts';
import type * as informers from '../../src/runtime/shared-informer.ts';
import type * as registries from '../../src/telemetry/metrics.ts';
import type { Logger } from '../../src/base/logger.ts';

const [dist = '', mode = '', server = '', directory = ''] = process.argv.slice(2);
const watchCount = 250;

// What ships is measured, not the sources: their types are those of what was built from them.
const built = async (file: string): Promise<unknown> => import(join(dist, `${file}.js`));
const { createInformer } = (await built('runtime/shared-informer')) as typeof informers;
const { createKubeClient } = (await built('kube/http-client')) as typeof clients;
const { createUndiciTransport } = (await built('kube/undici-transport')) as typeof transports;
const { loadConnection } = (await built('kube/load-connection')) as typeof connections;
const { systemClock, systemRandom } = (await built('app/system-ports')) as typeof systemPorts;
const { createMetrics } = (await built('telemetry/metrics')) as typeof registries;

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const quiet = (): void => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => log };
const { metrics } = createMetrics({ processMetrics: true });
const ports = { clock: systemClock, random: systemRandom, log, metrics };
const { hostname: host, port } = new URL(server);
const connection = await loadConnection({ inCluster: { host, port, directory }, ...ports });
const transport = createUndiciTransport({ connection, ...ports });
const client = createKubeClient({ transport, userAgent: 'homeostat-bench', ...ports });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

async function cache(): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const informer = createInformer({ client, type: configMaps, ...ports });
  delay.enable();
  const begin = performance.now();
  const running = informer.run(stop.signal);
  await informer.whenSynced(stop.signal);
  const seconds = (performance.now() - begin) / 1000;
  delay.disable();
  const [loopP999Ms, loopMaxMs] = [delay.percentile(99.9) / 1e6, delay.max / 1e6];
  process.stdout.write(`${JSON.stringify({ seconds, objects: informer.store.size, loopP999Ms, loopMaxMs })}\n`);
  await running;
}

async function watches(): Promise<void> {
  // A selection without objects: the streams are measured, not what they carry.
  const query = { namespace: 'default', fieldSelector: 'metadata.name=nobody', timeoutSeconds: 600 };
  const follow = async (): Promise<void> => {
    const frames = await client.watch(configMaps, { ...query, resourceVersion: '0' }, { signal: stop.signal });
    opened += 1;
    if (opened === watchCount) process.stdout.write(`${JSON.stringify({ watches: opened })}\n`);
    // Bookmarks come, and nothing is done with them; the streams stay open until the process is stopped.
    const iterator = frames[Symbol.asyncIterator]();
    let ended: boolean | undefined = false;
    while (ended !== true) ended = (await iterator.next()).done;
  };
  let opened = 0;
  await Promise.allSettled(Array.from({ length: watchCount }, follow));
}

await (mode === 'watches' ? watches() : cache());
await transport.close();
