import { HomeostatError } from '../base/errors.ts';

/** Exit code of a process that was interrupted twice, as shells report SIGINT. */
const INTERRUPTED = 130;

/**
 * A signal that fires at the first SIGTERM or SIGINT, with `HOMEOSTAT_STOPPED` as its reason: a stop is no bug. The second one ends the process at once: whoever asks twice does not want
 * to wait for the drain. `release` takes the handlers off again.
 */
export function stopSignal(process: NodeJS.Process): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const handle = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort(new HomeostatError('HOMEOSTAT_STOPPED', `Stopped by ${name}`));
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
