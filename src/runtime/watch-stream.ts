import { type ChildController, childController } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import type { ResourceType } from '../base/resource.ts';
import type { KubeClient, WatchFrame, WatchQuery } from '../kube/client.ts';
import { TurnBudget } from './turn-budget.ts';

/** What opening a watch needs. */
export interface WatchStreamOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly type: ResourceType;
  readonly query: WatchQuery;
  readonly signal: AbortSignal;
  /** Time without a frame after which the stream counts as dead. */
  readonly silenceMs: number;
}

/**
 * One open watch. A stream that stays silent for longer than the server's bookmarks allow is aborted: behind a dead load
 * balancer a socket can stay open for ever and deliver nothing (kubernetes/kubernetes#65012).
 */
export class WatchStream {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #frames: AsyncIterator<WatchFrame>;
  readonly #connection: ChildController;
  readonly #openedMs: number;
  readonly #budget: TurnBudget;
  #timer: Timer;
  #lastFrameMs: number;
  #count = 0;
  #silent = false;

  /** Resolves when the server has accepted the watch. @throws what `KubeClient.watch` throws. */
  static async open(options: WatchStreamOptions): Promise<WatchStream> {
    const connection = childController(options.signal);
    try {
      const frames = await options.client.watch(options.type, options.query, { signal: connection.signal });
      return new WatchStream(options, connection, frames);
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  private constructor(options: WatchStreamOptions, connection: ChildController, frames: AsyncIterable<WatchFrame>) {
    this.#clock = options.clock;
    this.#silenceMs = options.silenceMs;
    this.#connection = connection;
    this.#frames = frames[Symbol.asyncIterator]();
    this.#openedMs = this.#clock.monotonic();
    this.#budget = new TurnBudget(options.clock);
    this.#lastFrameMs = this.#openedMs;
    this.#timer = this.#watchSilence(this.#silenceMs);
  }

  /** True once the stream was aborted for its silence. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Frames delivered so far. */
  get frameCount(): number {
    return this.#count;
  }

  get ageMs(): number {
    return this.#clock.monotonic() - this.#openedMs;
  }

  /** The next frame; `undefined` when the server ended the stream or it was aborted for silence. @throws what the stream throws. */
  async next(): Promise<WatchFrame | undefined> {
    try {
      if (this.#budget.isSpent()) await this.#budget.renew();
      const result = await this.#frames.next();
      if (result.done === true) return undefined;
      this.#count += 1;
      this.#lastFrameMs = this.#clock.monotonic();
      return result.value;
    } catch (error) {
      if (this.#silent) return undefined;
      throw error;
    }
  }

  /** Ends the connection. */
  close(): void {
    this.#timer.cancel();
    this.#connection.abort(new HomeostatError('HOMEOSTAT_WATCH_CLOSED', 'The watch is no longer needed'));
    this.#connection.release();
  }

  /** Frames only note the time; one timer looks whether the last is too old, which costs a busy stream nothing. */
  #watchSilence(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => {
      const quietMs = this.#clock.monotonic() - this.#lastFrameMs;
      if (quietMs < this.#silenceMs) {
        this.#timer = this.#watchSilence(this.#silenceMs - quietMs);
        return;
      }
      this.#silent = true;
      this.#connection.abort(new HomeostatError('HOMEOSTAT_WATCH_SILENT', `No frame for ${quietMs} ms`));
    });
  }
}
