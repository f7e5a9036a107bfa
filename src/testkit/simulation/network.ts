import type { Random } from '../../base/random.ts';
import type { ApiHandler, ApiResponse } from '../../devcluster/exchange.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../kube/transport.ts';
import { TransportError } from '../../kube/transport-error.ts';
import { apiRequest, textOf } from '../in-memory-transport.ts';
import { Lane } from './lane.ts';
import { OpenWatches } from './open-watches.ts';
import type { Rivalry } from './scenario.ts';
import type { Timeline } from './timeline.ts';
import { WatchPump } from './watch-pump.ts';

/** What somebody else does to what a request writes to, and when: before it arrives, or when it was carried out and its answer is late. */
export interface PlannedRival {
  readonly how: Rivalry;
  readonly pick: number;
  readonly when: 'before' | 'after';
}

/** What becomes of one request on its way. */
export type Passage =
  | { readonly type: 'carried'; readonly delayMs?: number; readonly rival?: PlannedRival }
  /** It is carried as if this had been asked. */
  | { readonly type: 'diverted'; readonly path: string }
  /** It is carried, and its sender is asked to stop meanwhile. */
  | { readonly type: 'stopAt'; readonly downMs: number; readonly delayMs: number }
  /** It is carried, and its sender stands still meanwhile. */
  | { readonly type: 'standstill'; readonly forMs: number }
  /** The API server answers this without looking at it. */
  | { readonly type: 'refused'; readonly code: number; readonly reason: string; readonly retryAfterSeconds?: number }
  /** The connection breaks before the request has arrived, at once or after a while. */
  | { readonly type: 'unsent'; readonly delayMs?: number }
  /** The connection breaks when the request has been carried out. */
  | { readonly type: 'lostAnswer' }
  /** The process dies: before the request leaves it, or when it has been carried out. */
  | { readonly type: 'crashBefore'; readonly downMs: number }
  | { readonly type: 'crashAfter'; readonly downMs: number };

/** One process as the network knows it. */
export interface NetworkEnd {
  readonly name: string;
  readonly lane: Lane;
  readonly token: string;
  /** Decides about a request when it is sent. @defaultValue it is carried */
  readonly passage?: (request: TransportRequest) => Passage;
  /** Ends the process at this very point, for as long as said. */
  readonly crash?: (downMs: number) => void;
  /** Lets the process stand still from this very point. */
  readonly pause?: (forMs: number) => void;
  /** Asks the process to stop, as a rollout does. */
  readonly stop?: (downMs: number) => void;
  /** How much longer than usual the next frame of a watch takes. @defaultValue 0 */
  readonly lagMs?: (path: string) => number;
  /** Whether a frame is kept from the process. @defaultValue none is */
  readonly withholds?: (line: string) => boolean;
}

/** Hears of requests when the API server has answered them. */
export interface NetworkObserver {
  sent(end: NetworkEnd, request: TransportRequest, passage: Passage): void;
  answered(end: NetworkEnd, request: TransportRequest, answer: ApiResponse, passage: Passage): void;
  delivered(end: NetworkEnd, path: string, line: string): void;
}

/** What a network is made of. */
export interface NetworkOptions {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly handle: ApiHandler;
  readonly observer: NetworkObserver;
}

/** Made once: a reason of its own, with its stack, costs more than most requests. */
const CLIENT_GONE = new Error('The client of a request has gone');

/** Rarely a packet takes this much longer than others. */
const STRAGGLER_MS = 150;

/** How late a request or its answer is while a rival writes: the rival is there first, or what it did is heard of first. */
const RIVALLED_MS = 200;

/**
 * The way between processes and the API server: each request and each answer takes its own time, so that what was sent together
 * arrives in any order; frames of one watch keep theirs.
 */
export class Network {
  /** What is under way arrives even if its sender has died. */
  readonly lane = new Lane('network');
  readonly watches: OpenWatches;
  readonly #options: NetworkOptions;
  readonly #open = new Map<string, Set<AbortController>>();
  #underWay = 0;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.watches = new OpenWatches(() => options.timeline.nowMs);
  }

  /** Requests that have been sent and not been carried out yet, be their sender still there or not, and lost ones it has yet to hear of. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Time of one way, in milliseconds. */
  latencyMs(): number {
    const drawn = this.#options.random.next();
    return drawn < 0.95 ? 1 + Math.floor(drawn * 8) : 1 + Math.floor((drawn - 0.95) * 20 * STRAGGLER_MS);
  }

  /** Breaks every connection of a process that has died: the API server stops to send it anything. */
  cut(name: string): void {
    for (const gone of this.#open.get(name) ?? []) gone.abort(CLIENT_GONE);
    this.#open.delete(name);
    this.watches.forget(name);
  }

  /** Calls a process and brings its answer back. Rejects when it dies meanwhile or the signal fires. */
  call<Answer>(lane: Lane, signal: AbortSignal, delayMs: number, work: () => Promise<Answer>): Promise<Answer> {
    const { timeline } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const back = (deliver: () => void): void => void timeline.after(this.lane, this.latencyMs(), deliver);
    const arrive = async (): Promise<void> => {
      try {
        const answer = await work();
        back(() => resolve(answer));
      } catch (error) {
        back(() => reject(error));
      }
    };
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    // The call waits for its turn in the process as everything does there.
    timeline.after(this.lane, this.latencyMs() + delayMs, () => void timeline.after(lane, 0, () => void arrive()));
    return promise;
  }

  /** The transport of one process. */
  transport(end: NetworkEnd): Transport {
    return { send: (request) => this.#send(end, request) };
  }

  #send(end: NetworkEnd, request: TransportRequest): Promise<TransportResponse> {
    // A process that has ended waits for ever.
    if (end.lane.ended) return new Promise(() => undefined);
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    const { timeline, observer } = this.#options;
    const passage = end.passage?.(request) ?? { type: 'carried' };
    observer.sent(end, request, passage);
    if (passage.type === 'crashBefore') {
      end.crash?.(passage.downMs);
      return new Promise(() => undefined);
    }
    if (passage.type === 'standstill') end.pause?.(passage.forMs);
    if (passage.type === 'stopAt') end.stop?.(passage.downMs);
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    const gone = this.#opened(end, request);
    const onAbort = (): void => {
      gone?.abort(CLIENT_GONE);
      reject(request.signal.reason);
    };
    request.signal.addEventListener('abort', onAbort, { once: true });
    const { toMs, fromMs } = delaysOf(passage);
    const back = (deliver: () => void): void => void timeline.after(end.lane, this.latencyMs() + fromMs, deliver);
    const arrived = (answer: ApiResponse | undefined): void => {
      if (passage.type === 'crashAfter') end.crash?.(passage.downMs);
      else if (answer === undefined || passage.type === 'lostAnswer') back(() => reject(broken(request, true)));
      else back(() => resolve(this.#response(end, request, answer, gone)));
    };
    const wayMs = this.latencyMs() + toMs;
    switch (passage.type) {
      case 'unsent':
        if (fromMs > 0) {
          this.#underWay += 1;
          timeline.after(this.lane, fromMs, () => void (this.#underWay -= 1));
        }
        back(() => reject(broken(request, false)));
        break;
      case 'refused':
        timeline.after(this.lane, wayMs, () => {
          const answer = refusal(passage);
          observer.answered(end, request, answer, passage);
          back(() => resolve(this.#response(end, request, answer, gone)));
        });
        break;
      case 'carried':
      case 'diverted':
      case 'standstill':
      case 'stopAt':
      case 'lostAnswer':
      case 'crashAfter': {
        const asked = passage.type === 'diverted' ? { ...request, path: passage.path } : request;
        this.#underWay += 1;
        timeline.after(this.lane, wayMs, () => {
          void this.#carry(end, asked, passage, gone?.signal).then((answer) => arrived(answer));
        });
        break;
      }
    }
    return promise;
  }

  /** Tells the API server when the process has gone; of watches alone, since a request that has been sent is carried out. */
  #opened({ name }: NetworkEnd, { lane, path }: TransportRequest): AbortController | undefined {
    if (lane !== 'watch') return undefined;
    const gone = new AbortController();
    const open = this.#open.get(name) ?? new Set();
    this.#open.set(name, open.add(gone));
    this.watches.asked(name, path);
    const onGone = (): void => {
      open.delete(gone);
      this.watches.ended(name, path);
    };
    gone.signal.addEventListener('abort', onGone, { once: true });
    return gone;
  }

  /** Resolves with the API server's answer, `undefined` where it cut the connection. */
  async #carry(
    end: NetworkEnd,
    request: TransportRequest,
    passage: Passage,
    gone: AbortSignal = request.signal,
  ): Promise<ApiResponse | undefined> {
    this.#underWay -= 1;
    try {
      const answer = await this.#options.handle(apiRequest(request, end.token, gone));
      this.#options.observer.answered(end, request, answer, passage);
      return answer;
    } catch {
      return undefined;
    }
  }

  #response(
    end: NetworkEnd,
    request: TransportRequest,
    answer: ApiResponse,
    gone?: AbortController,
  ): TransportResponse {
    const { status, headers, body } = answer;
    const { timeline, observer } = this.#options;
    // An answer may come after its watch was given up.
    if (gone?.signal.aborted === false && status === 200) this.watches.opened(end.name, request.path);
    const pump = (): WatchPump =>
      new WatchPump({
        timeline,
        lane: end.lane,
        body: typeof body === 'string' ? [body] : body,
        delayMs: () => this.latencyMs() + (end.lagMs?.(request.path) ?? 0),
        withholds: (line) => end.withholds?.(line) ?? false,
        delivered: (line) => observer.delivered(end, request.path, line),
        signal: request.signal,
        close: () => gone?.abort(CLIENT_GONE),
      });
    return {
      status,
      headers,
      text: () => textOf(body),
      bytes: () => pump(),
    };
  }
}

/** How much longer a request and its answer take than others. */
function delaysOf(passage: Passage): { readonly toMs: number; readonly fromMs: number } {
  if (passage.type === 'stopAt') return { toMs: passage.delayMs, fromMs: 0 };
  if (passage.type === 'unsent') return { toMs: 0, fromMs: passage.delayMs ?? 0 };
  if (passage.type !== 'carried') return { toMs: 0, fromMs: 0 };
  const { delayMs = 0, rival } = passage;
  return {
    toMs: delayMs + (rival?.when === 'before' ? RIVALLED_MS : 0),
    fromMs: rival?.when === 'after' ? RIVALLED_MS : 0,
  };
}

function broken({ method, path }: TransportRequest, sent: boolean): TransportError {
  return new TransportError(`${method} ${path}: the connection broke`, { sent });
}

function refusal({ code, reason, retryAfterSeconds }: Extract<Passage, { type: 'refused' }>): ApiResponse {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${reason}, as the fault plan says`,
    reason,
    code,
    ...details,
  };
  return {
    status: code,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    body: JSON.stringify(status),
  };
}
