/** A watch that is open, or since when it is missed. */
type State = 'open' | number;

/** A watch that was missed for less brings nothing that was not written just now. */
const SHORT_MS = 1000;

/** Which watches each process wants, and whether they are open: one that waits to ask again will hear of more. */
export class OpenWatches {
  readonly #now: () => number;
  readonly #wanted = new Map<string, Map<string, State>>();
  #caughtUpMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** When a process last came to hear what it had missed for a while. */
  get caughtUpMs(): number {
    return this.#caughtUpMs;
  }

  /** Whether every watch that a process wants is open. */
  areOpen(process: string): boolean {
    return [...(this.#wanted.get(process)?.values() ?? [])].every((state) => state === 'open');
  }

  /** Hears that a process asks for a watch. */
  asked(process: string, target: string): void {
    const wanted = this.#wanted.get(process) ?? new Map<string, State>();
    this.#wanted.set(process, wanted);
    this.#missed(wanted, subjectOf(target));
  }

  /** Hears that the API server has accepted it. */
  opened(process: string, target: string): void {
    const wanted = this.#wanted.get(process);
    const state = wanted?.get(subjectOf(target)) ?? 'open';
    if (state !== 'open' && this.#now() - state > SHORT_MS) this.#caughtUpMs = this.#now();
    wanted?.set(subjectOf(target), 'open');
  }

  /** Hears that it is over, whoever ended it: no replica gives a watch up while it lives. */
  ended(process: string, target: string): void {
    const wanted = this.#wanted.get(process);
    if (wanted !== undefined) this.#missed(wanted, subjectOf(target));
  }

  /** A process that has died wants nothing. */
  forget(process: string): void {
    this.#wanted.delete(process);
  }

  #missed(wanted: Map<string, State>, subject: string): void {
    if (typeof wanted.get(subject) !== 'number') wanted.set(subject, this.#now());
  }
}

/** What a watch is about, wherever it begins. */
function subjectOf(target: string): string {
  const [path = '', query = ''] = target.split('?');
  const asked = new URLSearchParams(query);
  return [path, asked.get('labelSelector'), asked.get('fieldSelector')].join(' ');
}
