import { deadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { InformerTable } from './informer-table.ts';

/** How long readiness waits for the caches at start; rules on a cache that is later still answer a fault. */
const CACHES_WAIT_MS = 30_000;

/** Resolves when every cache is complete, or has had its chance; rejects with the reason of `life` when that fires. */
export async function waitForCaches(
  informers: InformerTable,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  life: AbortSignal,
): Promise<void> {
  const waited = new HomeostatError('HOMEOSTAT_CACHES_LATE', 'The caches took too long');
  const limit = deadline(clock, CACHES_WAIT_MS, life, () => waited);
  try {
    await Promise.all(informers.informers.map((informer) => informer.whenSynced(limit.signal)));
  } catch (error) {
    if (error !== waited) throw error;
    log.warn('Not all caches are complete; going on without', { caches: informers.problem() });
  } finally {
    limit.cancel();
  }
}
