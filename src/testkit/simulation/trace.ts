import { createHash } from 'node:crypto';

/** What happened in a simulation, line by line, each with its moment of virtual time. */
export class Trace {
  readonly #lines: string[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Notes that somebody did something. */
  note(who: string, what: string): void {
    this.#lines.push(`${(this.#now() / 1000).toFixed(3).padStart(9)}  ${who.padEnd(10)}  ${what}`);
  }

  /** The same for two simulations that went the same way, and no others. */
  hash(): string {
    return createHash('sha256').update(this.#lines.join('\n')).digest('hex');
  }
}
