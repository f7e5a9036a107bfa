import { createHash } from 'node:crypto';

interface Entry {
  readonly atMs: number;
  readonly who: string;
  readonly what: string;
  readonly tell: ((what: string) => string) | undefined;
}

/** What happened in a simulation, line by line, each with its moment of virtual time. */
export class Trace {
  readonly #entries: Entry[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** As a person reads it. */
  get lines(): readonly string[] {
    return this.#entries.map(({ atMs, who, what, tell }) => {
      const words = tell === undefined ? what : tell(what);
      return `${(atMs / 1000).toFixed(3).padStart(9)}  ${who.padEnd(10)}  ${words}`;
    });
  }

  /** Notes that somebody did something. `tell` makes words of it, if anybody ever wants to read them: most traces nobody does. */
  note(who: string, what: string, tell?: (what: string) => string): void {
    this.#entries.push({ atMs: this.#now(), who, what, tell });
  }

  /** The same for two simulations that went the same way, and no others. */
  hash(): string {
    const text = this.#entries.map(({ atMs, who, what }) => `${atMs} ${who} ${what}\n`).join('');
    return createHash('sha256').update(text).digest('hex');
  }
}
