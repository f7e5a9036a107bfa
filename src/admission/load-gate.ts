import type { FailurePolicy } from '../base/hook.ts';

/** Limits of what is in hand at one time. */
export interface LoadLimits {
  readonly reviews: number;
  readonly bytes: number;
}

/** Hooks under Ignore get this share, so that the others, whose loss is an error for somebody, are shed last. */
const IGNORE_SHARE = 0.75;

/** Bounds the reviews, and the bytes of their bodies, that are held at one time. */
export class LoadGate {
  readonly #limits: LoadLimits;
  readonly #changed: (reviews: number) => void;
  #reviews = 0;
  #bytes = 0;

  constructor(limits: LoadLimits, changed: (reviews: number) => void) {
    this.#limits = limits;
    this.#changed = changed;
  }

  /** Reviews in hand. */
  get reviews(): number {
    return this.#reviews;
  }

  /** Takes a place for a body of that size, or `undefined` when there is none. Give it back by calling what is returned, once. */
  enter(policy: FailurePolicy, bytes: number): (() => void) | undefined {
    const share = policy === 'Ignore' ? IGNORE_SHARE : 1;
    const fits =
      this.#reviews + 1 <= this.#limits.reviews * share &&
      // A single body always fits an empty gate: its own limit is the server's.
      (this.#bytes === 0 || this.#bytes + bytes <= this.#limits.bytes * share);
    if (!fits) return undefined;
    this.#change(1, bytes);
    let held = true;
    return () => {
      if (held) this.#change(-1, -bytes);
      held = false;
    };
  }

  #change(reviews: number, bytes: number): void {
    this.#reviews += reviews;
    this.#bytes += bytes;
    this.#changed(this.#reviews);
  }
}
