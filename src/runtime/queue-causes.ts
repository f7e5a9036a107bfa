/** `low` is for work that is not news: the objects of a first list, a resync. It gives way to news, yet not for ever. */
export type Priority = 'normal' | 'low';

/** As many as one log line can carry; a key is added thousands of times in a burst. */
const MAX_CAUSES = 5;

/** Why a key is to run: the first few different causes since its last run. */
export class QueueCauses {
  readonly #causes = new Set<string>();

  add(cause: string | undefined): void {
    if (cause !== undefined && this.#causes.size < MAX_CAUSES) this.#causes.add(cause);
  }

  addAll(others: QueueCauses): void {
    for (const cause of others.#causes) this.add(cause);
  }

  /** Returns the causes and begins anew. */
  take(): readonly string[] {
    const taken = [...this.#causes];
    this.#causes.clear();
    return taken;
  }
}
