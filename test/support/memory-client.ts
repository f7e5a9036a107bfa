import type { InMemoryCluster } from '../../src/devcluster/dev-cluster.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createKubeClient } from '../../src/kube/http-client.ts';
import { inMemoryTransport } from '../../src/testkit/in-memory-transport.ts';
import type { FakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';
import { recordingLogger, recordingMetrics } from './silent-ports.ts';

/** The project's own client on the embedded API server, without network, as the administrator. */
export function memoryClient(cluster: InMemoryCluster & { readonly clock: FakeClock }): KubeClient {
  return createKubeClient({
    transport: inMemoryTransport(cluster.handle, cluster.adminToken),
    clock: cluster.clock,
    random: seededRandom(),
    log: recordingLogger(),
    metrics: recordingMetrics(),
    userAgent: 'test',
  });
}
