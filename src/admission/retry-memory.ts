import type { Clock } from '../base/clock.ts';

/** The longest timeout a hook can have: nobody sends a review again after that. */
const KEPT_MS = 30_000;
const MAX_ENTRIES = 4096;

/**
 * When reviews that got no verdict were first seen. After `Retry-After` the API server sends the same review, with the same uid and
 * the same `?timeout`, while its own deadline runs on (client-go with_retry.go); only our memory tells how much is left.
 */
export class RetryMemory {
  readonly #clock: Clock;
  readonly #starts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Monotonic start of the first call with this uid; `startedAt` where this is the first. */
  firstStart(uid: string, startedAt: number): number {
    const known = this.#starts.get(uid);
    if (known !== undefined) return known;
    this.#forget();
    this.#starts.set(uid, startedAt);
    return startedAt;
  }

  /** Insertion order is age, so the loop ends at the first entry that stays. */
  #forget(): void {
    const oldest = this.#clock.monotonic() - KEPT_MS;
    for (const [uid, start] of this.#starts) {
      if (start > oldest && this.#starts.size < MAX_ENTRIES) return;
      this.#starts.delete(uid);
    }
  }
}
