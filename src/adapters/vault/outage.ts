import { orAborted } from '../../base/abort.ts';
import { backoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { VaultError } from '../../base/vault.ts';

/** Between two looks at a server that is away: soon enough for a restart, seldom enough for a night. */
const PROBE = { baseMs: 5000, capMs: 30_000, jitter: 0.1 } as const;

/** A server that asks for more is looked at all the same: what it says of a day may be an hour's mistake. */
const MOST_MS = 5 * 60_000;

/** What the breaker stands on. */
export interface OutageOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Asks whether the server can serve; resolves with what is wrong. Its own time limit ends it. */
  readonly probe: () => Promise<VaultError | undefined>;
  /** Told when an outage begins, and when it is over. */
  readonly changed: (trouble: VaultError | undefined) => void;
}

interface Outage {
  readonly trouble: VaultError;
  readonly failures: number;
  /** Monotonic. */
  readonly until: number;
}

/**
 * The circuit breaker that all requests share. It begins open for one probe, the health gate; an outage closes the way for everybody,
 * and one probe after another, never one for each object, finds out when it is over.
 */
export class OutageBreaker {
  readonly #options: OutageOptions;
  #outage: Outage | undefined;
  #checked = false;
  #probing: Promise<void> | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** What is wrong now, as far as it is known. */
  get trouble(): VaultError | undefined {
    return this.#outage?.trouble;
  }

  /** Resolves when requests may be sent. Rejects with the outage, saying how long it lasts at least, or with the signal's reason. */
  async pass(signal: AbortSignal): Promise<void> {
    if (this.#outage === undefined && this.#checked) return;
    const left = (this.#outage?.until ?? 0) - this.#options.clock.monotonic();
    if (this.#outage !== undefined && left > 0) throw this.#outage.trouble.after(left);
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    await orAborted(this.#probing, signal);
  }

  /** A request met an outage. Requests that were under way at the time add nothing to it. */
  report(trouble: VaultError): void {
    const { clock } = this.#options;
    if (this.#outage === undefined || this.#outage.until <= clock.monotonic()) this.#open(trouble);
  }

  async #probe(): Promise<void> {
    const trouble = await this.#options.probe();
    this.#checked = true;
    if (trouble !== undefined) throw this.#open(trouble);
    if (this.#outage === undefined) return;
    this.#outage = undefined;
    this.#options.changed(undefined);
  }

  #open(trouble: VaultError): VaultError {
    const { clock, random, changed } = this.#options;
    const failures = this.#outage?.failures ?? 0;
    const waitMs = Math.min(MOST_MS, trouble.retryAfterMs ?? backoffMs(failures, PROBE, random));
    const isNew = this.#outage?.trouble.trouble !== trouble.trouble;
    this.#outage = { trouble, failures: failures + 1, until: clock.monotonic() + waitMs };
    if (isNew) changed(trouble);
    return trouble.after(waitMs);
  }
}
