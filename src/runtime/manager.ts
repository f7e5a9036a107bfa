import { fired, orAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';

/** Reports that what a phase runs in the background has failed: the manager stops everything. */
export type Fail = (error: unknown) => void;

/** One part of the service with a place in the order of start and stop. */
export interface Phase {
  readonly name: string;
  /**
   * Resolves when the phase is up and the next may start. Everything it began lives at most until `signal` fires, which is when
   * the phase's stop is over, when the grace has passed, or when a stop is asked for while it still starts.
   */
  start(signal: AbortSignal, fail: Fail): Promise<void>;
  /**
   * Takes on nothing new and resolves when what ran has ended. `signal` fires when the grace has passed: end at once. Also called
   * when the start failed or was cut off.
   *
   * @defaultValue the signal of `start` fires, and that is all
   */
  stop?(signal: AbortSignal): Promise<void>;
}

/** What a manager is made of. */
export interface ManagerOptions {
  /** Started in order, stopped in reverse. */
  readonly phases: readonly Phase[];
  /** How long all stops together may take before what still runs is aborted. @defaultValue 30 000 */
  readonly graceMs?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A phase failed to start, to run or to stop. Code `HOMEOSTAT_PHASE_FAILED`; the cause says why. */
export class PhaseFailed extends HomeostatError {
  readonly phase: string;

  constructor(phase: string, doing: 'start' | 'run' | 'stop', cause: unknown) {
    super('HOMEOSTAT_PHASE_FAILED', `Phase ${phase} failed to ${doing}: ${errorText(cause)}`, { cause });
    this.phase = phase;
  }
}

interface Started {
  readonly phase: Phase;
  readonly life: AbortController;
}

const DEFAULT_GRACE_MS = 30_000;

/** Time for aborted work to come back, in milliseconds, before it is left behind; what ignores its signal must not keep the process. */
export const ABORT_MS = 5000;

/**
 * Runs the phases of a service. A stop has two parts: each phase, in reverse order, stops its intake and lets what runs end;
 * what has not ended when the grace is over is aborted. Nothing that runs is cut off by the stop itself.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #started: Started[] = [];
  readonly #errors: PhaseFailed[] = [];

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /**
   * Starts all phases, waits for `stop` or for a failure, and stops what was started. Resolves after an orderly stop. Call it once.
   *
   * @throws PhaseFailed for one failure, AggregateError of such for several.
   */
  async run(stop: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const end = (): void => ending.abort(stop.reason);
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
    await this.#startAll(ending);
    await fired(ending.signal);
    stop.removeEventListener('abort', end);
    await this.#stopAll();
    const [first, ...rest] = this.#errors;
    if (first === undefined) return;
    throw rest.length === 0 ? first : new AggregateError(this.#errors, this.#errors.map(errorText).join('; '));
  }

  async #startAll(ending: AbortController): Promise<void> {
    for (const phase of this.#options.phases) {
      if (ending.signal.aborted) return;
      const life = new AbortController();
      const giveUp = (): void => life.abort(ending.signal.reason);
      ending.signal.addEventListener('abort', giveUp, { once: true });
      const started: Started = { phase, life };
      this.#started.push(started);
      try {
        await phase.start(life.signal, (error) => this.#fail(started, error, ending));
        this.#options.log.info('Started', { phase: phase.name });
      } catch (error) {
        if (!life.signal.aborted) this.#errors.push(new PhaseFailed(phase.name, 'start', error));
        ending.abort();
      } finally {
        ending.signal.removeEventListener('abort', giveUp);
      }
    }
  }

  #fail({ phase, life }: Started, error: unknown, ending: AbortController): void {
    if (life.signal.aborted) return;
    this.#options.log.error('A phase failed; stopping', { phase: phase.name, cause: errorText(error) });
    this.#errors.push(new PhaseFailed(phase.name, 'run', error));
    ending.abort();
  }

  async #stopAll(): Promise<void> {
    const { clock, log, graceMs = DEFAULT_GRACE_MS } = this.#options;
    const over = new AbortController();
    const endsMs = clock.monotonic() + graceMs;
    const grace = clock.setTimer(graceMs, () => {
      log.warn('Not everything ended within the grace; aborting what still runs', { graceMs });
      over.abort(new HomeostatError('HOMEOSTAT_GRACE_OVER', `The stop took longer than ${graceMs} ms`));
      for (const { life } of this.#started) life.abort(over.signal.reason);
    });
    for (const { phase, life } of this.#started.toReversed()) {
      try {
        await this.#stopOne(phase, over.signal, endsMs);
        log.info('Stopped', { phase: phase.name });
      } catch (error) {
        this.#errors.push(new PhaseFailed(phase.name, 'stop', error));
      } finally {
        life.abort();
      }
    }
    grace.cancel();
  }

  /** Each phase has its own time to come back after the abort: none is blamed for what the phases before it took. */
  async #stopOne(phase: Phase, over: AbortSignal, graceEndsMs: number): Promise<void> {
    const { clock } = this.#options;
    const left = new AbortController();
    const patience = clock.setTimer(Math.max(0, graceEndsMs - clock.monotonic()) + ABORT_MS, () => {
      left.abort(new HomeostatError('HOMEOSTAT_GRACE_OVER', `It went on for ${ABORT_MS} ms after it was aborted`));
    });
    try {
      await orAborted(phase.stop?.(over) ?? Promise.resolve(), left.signal);
    } finally {
      patience.cancel();
    }
  }
}
