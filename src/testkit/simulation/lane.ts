/**
 * One process of a simulation: what it has set runs in the order in which it was set, while the order between processes is open.
 * A lane that has ended runs nothing any more, as a process that was killed.
 */
export class Lane {
  readonly name: string;
  /** Until this moment the process stands still. */
  pausedUntilMs = 0;
  #ended = false;

  constructor(name: string) {
    this.name = name;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Ends the process: nothing that is pending will run. */
  end(): void {
    this.#ended = true;
  }
}
