import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';

/** Exit code of a process that was interrupted twice, as shells report SIGINT. */
const INTERRUPTED = 130;

/** npm passes Ctrl-C on to a process that has it from the terminal already: what comes so soon is the same wish. */
const SAME_WISH_MS = 500;

/** What is needed of the process. */
export type SignalledProcess = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;

/**
 * A signal that fires at the first SIGTERM or SIGINT, with `HOMEOSTAT_STOPPED` as its reason: a stop is no bug. One that comes half a
 * second later or more ends the process at once: whoever asks twice does not want to wait for the drain. `release` takes the
 * handlers off again.
 */
export function stopSignal(
  process: SignalledProcess,
  clock: Pick<Clock, 'monotonic'>,
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  let firstMs = 0;
  const handle = (name: NodeJS.Signals): void => {
    if (!controller.signal.aborted) {
      firstMs = clock.monotonic();
      controller.abort(new HomeostatError('HOMEOSTAT_STOPPED', `Stopped by ${name}`));
    } else if (clock.monotonic() - firstMs >= SAME_WISH_MS) process.exit(INTERRUPTED);
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGTERM', handle);
      process.off('SIGINT', handle);
    },
  };
}
