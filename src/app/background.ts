import type { Fail, Phase } from '../runtime/manager.ts';

/** Something that runs until it is told to stop, and whose failure is the service's failure. */
export class Background {
  readonly #run: (signal: AbortSignal) => Promise<void>;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(run: (signal: AbortSignal) => Promise<void>) {
    this.#run = run;
  }

  /** Begins; `life` ends it as `stop` does. */
  start(life: AbortSignal, fail: Fail): void {
    const { signal } = this.#stop;
    if (life.aborted) this.#stop.abort(life.reason);
    else life.addEventListener('abort', () => this.#stop.abort(life.reason), { once: true });
    this.#running = this.#run(signal).catch((error: unknown) => {
      if (!signal.aborted) fail(error);
    });
  }

  /** Asks it to end and resolves when it has. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** A phase that is nothing but something running. `before` must be done, or the phase does not start. */
export function backgroundPhase(
  name: string,
  background: Background,
  before: (signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
): Phase {
  return {
    name,
    start: async (signal, fail) => {
      await before(signal);
      background.start(signal, fail);
    },
    stop: () => background.stop(),
  };
}
