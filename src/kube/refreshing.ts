import type { Clock } from '../base/clock.ts';

/** What a load gave, and for how long. */
export interface Loaded<T> {
  readonly value: T;
  /** After this time the next use loads anew. Infinity: never by itself. */
  readonly refreshAfterMs: number;
  /** After this time the value must not be used when loading anew fails. */
  readonly usableForMs: number;
}

/** How a {@link Refreshing} value comes to be. */
export interface RefreshingOptions<T> {
  readonly clock: Clock;
  /** Given the value so far; returns that same value when nothing has changed. */
  readonly load: (previous: T | undefined) => Promise<Loaded<T>>;
  /** Told of a load that failed while the value so far is still good. */
  readonly onFailure: (error: unknown) => void;
}

/** Pause before a failed refresh is tried again while the old value is still good. */
const RETRY_MS = 1000;

interface Held<T> {
  readonly value: T;
  readonly usableUntil: number;
  readonly refreshAt: number;
  readonly refused: boolean;
}

/**
 * A value that is loaded on first use and again when it has aged, by whoever asks next: no timer runs. Concurrent uses share one
 * load.
 */
export class Refreshing<T> {
  readonly #options: RefreshingOptions<T>;
  #held: Held<T> | undefined;
  #loading: Promise<T> | undefined;

  constructor(options: RefreshingOptions<T>) {
    this.#options = options;
  }

  /** The value, fresh. Rejects with the load's error when there is none that may still be used. */
  current(): Promise<T> {
    const held = this.#held;
    if (held !== undefined && this.#options.clock.monotonic() < held.refreshAt) return Promise.resolve(held.value);
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The value was refused: the next use loads anew, whatever its age. Ignored for any value but the one held. */
  invalidate(value: T): void {
    const held = this.#held;
    if (held?.value === value) this.#held = { ...held, refreshAt: Number.NEGATIVE_INFINITY, refused: true };
  }

  async #load(): Promise<T> {
    const { clock, load, onFailure } = this.#options;
    try {
      const { value, refreshAfterMs, usableForMs } = await load(this.#held?.value);
      const now = clock.monotonic();
      this.#held = { value, refreshAt: now + refreshAfterMs, usableUntil: now + usableForMs, refused: false };
      return value;
    } catch (error) {
      const held = this.#held;
      const now = clock.monotonic();
      if (held === undefined || held.refused || now >= held.usableUntil) throw error;
      onFailure(error);
      this.#held = { ...held, refreshAt: now + RETRY_MS };
      return held.value;
    }
  }
}
