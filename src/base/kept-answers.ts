import type { Clock } from './clock.ts';

/** What a memory of answers is made of. */
export interface KeptAnswersOptions<T> {
  readonly clock: Clock;
  /** How long an answer counts. */
  readonly keptMs: (answer: T) => number;
  /** Answers that are kept; the oldest go first. */
  readonly limit: number;
}

/** Answers to questions by key: equal questions at one time are asked once, and an answer counts for a while. Failures are not kept. */
export class KeptAnswers<T> {
  readonly #options: KeptAnswersOptions<T>;
  readonly #kept = new Map<string, { readonly answer: T; readonly untilMs: number }>();
  readonly #running = new Map<string, Promise<T>>();

  constructor(options: KeptAnswersOptions<T>) {
    this.#options = options;
  }

  /** Questions that wait for their answer. */
  get running(): number {
    return this.#running.size;
  }

  /** Whether a question would be asked no more: its answer counts, or is on its way. */
  has(key: string): boolean {
    return this.#running.has(key) || this.#valid(key) !== undefined;
  }

  /** The answer that is kept and still counts, without a wait. */
  kept(key: string): { readonly answer: T } | undefined {
    return this.#valid(key);
  }

  /** The answer; rejects with what `ask` rejected with. */
  async obtain(key: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#valid(key);
    if (kept !== undefined) return kept.answer;
    return this.#running.get(key) ?? this.#begin(key, ask);
  }

  #begin(key: string, ask: () => Promise<T>): Promise<T> {
    const work = this.#ask(key, ask).finally(() => this.#running.delete(key));
    this.#running.set(key, work);
    return work;
  }

  async #ask(key: string, ask: () => Promise<T>): Promise<T> {
    const answer = await ask();
    const { clock, keptMs, limit } = this.#options;
    this.#kept.delete(key);
    this.#kept.set(key, { answer, untilMs: clock.monotonic() + keptMs(answer) });
    // Insertion order is age, so the first key is the oldest answer.
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= limit) break;
      this.#kept.delete(oldest);
    }
    return answer;
  }

  #valid(key: string): { readonly answer: T } | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#options.clock.monotonic() < kept.untilMs ? kept : undefined;
  }
}
