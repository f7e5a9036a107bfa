import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';

/**
 * Whether this replica wants traffic: not before its caches had their chance to fill, and not once a stop was asked for. After
 * that it goes on answering for a while, since endpoints and API servers take time to forget it.
 */
export class Availability {
  readonly #clock: Clock;
  readonly #delayMs: number;
  #state: 'starting' | 'available' | 'leaving' = 'starting';
  #leftAtMs = 0;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Why no traffic is wanted, or `undefined`. */
  problem(): string | undefined {
    switch (this.#state) {
      case 'starting':
        return 'still starting';
      case 'leaving':
        return 'shutting down';
      case 'available':
        return undefined;
    }
  }

  /** The start is over. */
  arrive(): void {
    if (this.#state === 'starting') this.#state = 'available';
  }

  /** A stop was asked for. */
  leave(): void {
    if (this.#state === 'leaving') return;
    // Whoever never had traffic has nobody to wait for.
    this.#leftAtMs = this.#state === 'available' ? this.#clock.monotonic() : Number.NEGATIVE_INFINITY;
    this.#state = 'leaving';
  }

  /** Waits until the delay since {@link leave} is over, or `signal` fires. */
  async forgotten(signal: AbortSignal): Promise<void> {
    const leftMs = this.#leftAtMs + this.#delayMs - this.#clock.monotonic();
    if (leftMs > 0) await sleep(this.#clock, leftMs, signal).catch(() => undefined); // rejects only when the signal fires
  }
}
