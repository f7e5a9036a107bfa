import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import type { HandlerRegistration, InformerHandler } from './informer-handler.ts';

/** One handler and what it has heard so far. */
class Member implements HandlerRegistration {
  readonly handler: InformerHandler;
  readonly #leave: (member: Member) => void;
  #joined = false;
  #synced = false;

  constructor(handler: InformerHandler, leave: (member: Member) => void) {
    this.handler = handler;
    this.#leave = leave;
  }

  /** Takes part in live changes. */
  get joined(): boolean {
    return this.#joined;
  }

  hasSynced(): boolean {
    return this.#synced;
  }

  join(): void {
    this.#joined = true;
  }

  sync(): void {
    this.#synced = true;
  }

  remove(): void {
    this.#leave(this);
  }
}

export type { Member as HandlerMember };

/** Counts calls of handlers that threw, by the `name` of the informer, or of the controller that had put the call off. */
export function handlerPanics(metrics: Metrics): Counter {
  return metrics.counter({
    name: 'homeostat_informer_handler_panics_total',
    help: 'Calls of informer handlers that threw.',
    labels: ['name'],
  });
}

/** The handlers of one informer. A throwing handler costs one log line and a count, never another handler's call. */
export class HandlerSet {
  readonly #members = new Set<Member>();
  readonly #log: Logger;
  readonly #panics: Counter;
  readonly #name: string;

  constructor(options: { readonly name: string; readonly log: Logger; readonly metrics: Metrics }) {
    this.#log = options.log;
    this.#name = options.name;
    this.#panics = handlerPanics(options.metrics);
  }

  add(handler: InformerHandler): Member {
    const member = new Member(handler, (left) => this.#members.delete(left));
    this.#members.add(member);
    return member;
  }

  has(member: Member): boolean {
    return this.#members.has(member);
  }

  /** Lets every present handler take part in live changes from now on. */
  joinAll(): void {
    for (const member of this.#members) member.join();
  }

  /** Marks the handlers that take part as having heard of everything. */
  syncJoined(): void {
    for (const member of this.#members) if (member.joined) member.sync();
  }

  /** Calls every handler that takes part. */
  tell(call: (handler: InformerHandler) => void): void {
    for (const member of this.#members) if (member.joined) this.tellOne(member, call);
  }

  /** Calls one handler. */
  tellOne(member: Member, call: (handler: InformerHandler) => void): void {
    try {
      call(member.handler);
    } catch (error) {
      this.#panics.add({ name: this.#name });
      this.#log.error('An informer handler threw; this is a bug of the handler', {
        informer: this.#name,
        err: error instanceof Error ? error : String(error),
      });
    }
  }
}
