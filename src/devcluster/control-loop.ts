import type { Timer } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Cluster } from './cluster.ts';

const RETRY_MS = 500;

/**
 * Runs one piece of upkeep per key, one after another, and again a little later when it failed. The embedded counterpart of a
 * controller of kube-controller-manager. Work ends with {@link ControlLoop.close}.
 */
export class ControlLoop {
  readonly #cluster: Cluster;
  readonly #name: string;
  readonly #work: (key: string) => Promise<void> | void;
  readonly #due = new Set<string>();
  readonly #timers = new Set<Timer>();
  #running = false;
  #closed = false;

  constructor(cluster: Cluster, name: string, work: (key: string) => Promise<void> | void) {
    this.#cluster = cluster;
    this.#name = name;
    this.#work = work;
  }

  /** Has a key worked on soon; a key that is due already is not taken twice. */
  add(key: string): void {
    if (this.#closed) return;
    this.#due.add(key);
    if (this.#running) return;
    this.#running = true;
    this.#cluster.clock.setImmediate(() => void this.#drain());
  }

  close(): void {
    this.#closed = true;
    this.#due.clear();
    for (const timer of this.#timers) timer.cancel();
  }

  async #drain(): Promise<void> {
    for (const key of this.#due) {
      this.#due.delete(key);
      try {
        await this.#work(key);
      } catch (error) {
        this.#cluster.log.debug('Upkeep of the development cluster is tried again', {
          loop: this.#name,
          key,
          error: errorText(error),
        });
        this.#later(key);
      }
    }
    this.#running = false;
  }

  #later(key: string): void {
    if (this.#closed) return;
    const timer = this.#cluster.clock.setTimer(RETRY_MS, () => {
      this.#timers.delete(timer);
      this.add(key);
    });
    this.#timers.add(timer);
  }
}
