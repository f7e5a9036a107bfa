import { setTimeout as delay } from 'node:timers/promises';
import type { Faults } from '../../src/devcluster/faults.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

/** Where troubles are made. */
export interface Scene {
  readonly faults: Faults;
  readonly proxy: TcpProxy;
}

const target = { verb: 'watch', resource: 'configmaps' } as const;

/** Everything that can go wrong in a soak, each as one act. What an act breaks, the end of the round mends. */
export function troubles({ faults, proxy }: Scene): readonly (() => Promise<void> | void)[] {
  return [
    () => proxy.swallow(),
    () => proxy.cutAfter(500),
    async () => {
      await proxy.refuse();
      await delay(300);
      await proxy.accept();
    },
    () => faults.compact(),
    () => faults.endWatches('configmaps'),
    () => faults.endWatches('configmaps', 'expired'),
    () => faults.bookmark('configmaps'),
    () => {
      faults.plan(target, { type: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 });
      faults.endWatches('configmaps');
    },
    () => {
      faults.plan(target, { type: 'status', code: 500, reason: 'InternalError' });
      faults.endWatches('configmaps');
    },
    () => {
      faults.plan(target, { type: 'truncate', characters: 300 });
      faults.endWatches('configmaps');
    },
    () => {
      faults.plan(target, { type: 'reset' });
      faults.endWatches('configmaps');
    },
  ];
}
