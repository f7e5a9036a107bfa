import type { Clock } from '../../src/base/clock.ts';

/** One key of one controller. */
export interface SharedItem {
  readonly controller: string;
  readonly work: () => Promise<void>;
}

/** The counter-example: one queue and one worker for all controllers, first come, first served. */
export class SharedQueue {
  readonly #items: SharedItem[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(item: SharedItem): void {
    this.#items.push(item);
  }

  async run(): Promise<void> {
    for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) {
      await item.work();
      await new Promise<void>((resolve) => this.#clock.setImmediate(resolve));
    }
  }
}
