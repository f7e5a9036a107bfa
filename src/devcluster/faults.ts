import { deadline, sleep } from '../base/abort.ts';
import { HomeostatError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import { type ApiResponse, ConnectionCut } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import { conflict, expired, MODIFIED, StatusError } from './status-error.ts';

/** What goes wrong with a request. */
export type Fault =
  | {
      readonly type: 'status';
      readonly code: number;
      readonly reason: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** 410 Expired. */
  | { readonly type: 'expired' }
  /** 409 as after a lost race. */
  | { readonly type: 'conflict' }
  /** The connection stays open without a byte until the client gives up. */
  | { readonly type: 'hang' }
  /** The request is handled `ms` later. */
  | { readonly type: 'delay'; readonly ms: number }
  /** The answer breaks off after this many characters of its body. */
  | { readonly type: 'truncate'; readonly characters: number }
  /** The connection is cut before the request is handled. */
  | { readonly type: 'reset' }
  /** The request is handled, and the client reads 504. */
  | { readonly type: 'lostAnswer' };

/** Which requests a fault strikes. Members that are absent match everything. */
export interface FaultTarget {
  readonly verb?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Name of the user who asks, so that a test can spare itself. */
  readonly user?: string;
}

interface Planned {
  readonly target: FaultTarget;
  readonly fault: Fault;
  left: number;
}

/** Fault knobs: planned troubles, each for a number of requests. The first plan that matches strikes. */
export class Faults {
  readonly #clock: Clock;
  readonly #planned: Planned[] = [];
  readonly #acts: FaultActs;

  constructor(clock: Clock, acts: FaultActs) {
    this.#clock = clock;
    this.#acts = acts;
  }

  /** Plans a fault for the next `times` matching requests; returns a function that takes the rest of the plan back. */
  plan(target: FaultTarget, fault: Fault, times = 1): () => void {
    const planned: Planned = { target, fault, left: times };
    this.#planned.push(planned);
    return () => void (planned.left = 0);
  }

  /** Takes back every plan. */
  clear(): void {
    this.#planned.length = 0;
  }

  /** Forgets the history up to now: watches and pages from before answer 410. */
  compact(): void {
    this.#acts.compact();
  }

  /** Ends open watches of a resource (`plural.group`, `*` for all) with an ERROR frame 410, or without a word. */
  endWatches(resource: string, how: 'expired' | 'silently' = 'silently'): void {
    for (const stream of this.#acts.openWatches(resource)) {
      if (how === 'silently') stream.end();
      else stream.fail(expired('The resourceVersion for the provided watch is too old.').status);
    }
  }

  /** Sends a bookmark to open watches of a resource now. */
  bookmark(resource: string): void {
    for (const stream of this.#acts.openWatches(resource)) stream.bookmark();
  }

  /** Runs a request under the fault planned for it, if there is one. */
  async run(
    info: RequestInfo,
    user: string,
    signal: AbortSignal,
    handle: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const fault = this.#take(info, user);
    if (fault === undefined) return handle();
    switch (fault.type) {
      case 'status': {
        const { code, reason, message = reason, retryAfterSeconds } = fault;
        const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
        throw new StatusError(code, reason, message, details);
      }
      case 'expired':
        throw expired('The resourceVersion for the provided list is too old.');
      case 'conflict':
        throw conflict({ group: info.group, plural: info.resource }, info.name, MODIFIED);
      case 'reset':
        throw new ConnectionCut();
      case 'hang':
        return await hang(this.#clock, signal);
      case 'delay':
        await sleep(this.#clock, fault.ms, signal);
        return handle();
      case 'truncate':
        return truncated(await handle(), fault.characters);
      case 'lostAnswer':
        await handle();
        throw new StatusError(
          504,
          'Timeout',
          'Timeout: request did not complete within requested timeout - context deadline exceeded',
        );
    }
  }

  #take(info: RequestInfo, user: string): Fault | undefined {
    const planned = this.#planned.find(({ target, left }) => left > 0 && strikes(target, info, user));
    if (planned === undefined) return undefined;
    planned.left -= 1;
    return planned.fault;
  }
}

/** What the knobs reach besides requests. */
export interface FaultActs {
  readonly compact: () => void;
  readonly openWatches: (resource: string) => readonly OpenWatch[];
}

/** An open watch, as the knobs see it. */
export interface OpenWatch {
  end(): void;
  fail(status: StatusError['status']): void;
  bookmark(): void;
}

function strikes(target: FaultTarget, info: RequestInfo, user: string): boolean {
  const { user: wanted, ...members } = target;
  const given: Readonly<Record<string, string>> = { ...info };
  return (
    (wanted === undefined || wanted === user) && Object.entries(members).every(([name, value]) => given[name] === value)
  );
}

const LONGEST_HANG_MS = 24 * 3600 * 1000;

async function hang(clock: Clock, signal: AbortSignal): Promise<never> {
  const limit = deadline(
    clock,
    LONGEST_HANG_MS,
    signal,
    () => new HomeostatError('HOMEOSTAT_BUG', 'A hanging request outlived its day'),
  );
  await new Promise<void>((resolve) => limit.signal.addEventListener('abort', () => resolve(), { once: true }));
  limit.cancel();
  throw new ConnectionCut();
}

function truncated(response: ApiResponse, characters: number): ApiResponse {
  return { ...response, body: cut(response.body, characters) };
}

async function* cut(body: ApiResponse['body'], characters: number): AsyncGenerator<string> {
  let left = characters;
  for await (const text of typeof body === 'string' ? [body] : body) {
    yield text.slice(0, left);
    left -= text.length;
    if (left <= 0) throw new ConnectionCut();
  }
  throw new ConnectionCut();
}
