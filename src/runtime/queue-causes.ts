/** `low` is for work that is not news: the objects of a first list, a resync. It gives way to news, yet not for ever. */
export type Priority = 'normal' | 'low';

/** As many as one log line can carry; a key is added thousands of times in a burst. */
const MAX_CAUSES = 5;

/** Why a key is to run: the first few different causes since its last run. */
export class QueueCauses {
  readonly #causes = new Set<string>();

  constructor(cause?: string | readonly string[]) {
    if (cause !== undefined) this.#add(typeof cause === 'string' ? [cause] : cause);
  }

  join(others: QueueCauses): void {
    this.#add(others.#causes);
  }

  /** Returns the causes and begins anew. */
  take(): readonly string[] {
    const taken = [...this.#causes];
    this.#causes.clear();
    return taken;
  }

  #add(causes: Iterable<string>): void {
    for (const cause of causes) if (this.#causes.size < MAX_CAUSES) this.#causes.add(cause);
  }
}
