import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import { type WatchFailure, watchFailureOf } from './watch-failure.ts';

/** The trouble a reflector is in, for readiness pages and messages. */
export interface ReflectorTrouble {
  readonly kind: string;
  /** `plural.group`. */
  readonly resource: string;
  readonly verb: 'list' | 'watch';
  readonly cause: string;
  /** What the cause means for this resource and what to do, for people. */
  readonly advice: string;
  /** Wall clock of the first failure of this trouble, milliseconds. */
  readonly sinceMs: number;
}

/** What a journal is made of. */
export interface ReflectorJournalOptions {
  readonly type: ResourceType;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * What one reflector has to tell: its present trouble, one log line per changed cause (never one per try, or an outage would
 * flood the log), and counters.
 */
export class ReflectorJournal {
  readonly #options: ReflectorJournalOptions;
  readonly #resource: string;
  readonly #lists: Counter;
  readonly #relists: Counter;
  readonly #watches: Counter;
  readonly #errors: Counter;
  readonly #skipped: Counter;
  #trouble: ReflectorTrouble | undefined;
  #logged: string | undefined;

  constructor(options: ReflectorJournalOptions) {
    const { metrics } = options;
    this.#options = options;
    this.#resource = groupResourceOf(options.type);
    this.#lists = metrics.counter({
      name: 'homeostat_informer_lists_total',
      help: 'Complete lists taken over, by how they were asked for: as a stream or in pages.',
      labels: ['resource', 'mode'],
    });
    this.#relists = metrics.counter({
      name: 'homeostat_informer_relist_total',
      help: 'Lists beyond the first, by what made them necessary.',
      labels: ['resource', 'reason'],
    });
    this.#watches = metrics.counter({
      name: 'homeostat_informer_watch_restarts_total',
      help: 'Watches opened anew without a list, by how the one before ended.',
      labels: ['resource', 'reason'],
    });
    this.#errors = metrics.counter({
      name: 'homeostat_watch_errors_total',
      help: 'Failed lists and watches.',
      labels: ['resource', 'verb', 'reason'],
    });
    this.#skipped = metrics.counter({
      name: 'homeostat_informer_skipped_objects_total',
      help: 'Objects left out of the cache since they are of another kind or have no name.',
      labels: ['resource'],
    });
  }

  /** The present trouble; `undefined` while lists and watches succeed. */
  get trouble(): ReflectorTrouble | undefined {
    return this.#trouble;
  }

  /** A list or watch failed. An expired version is no trouble: it happens after every long disconnection. */
  failed(verb: 'list' | 'watch', error: unknown): void {
    const failure = watchFailureOf(error);
    const cause = errorText(error);
    this.#errors.add({ resource: this.#resource, verb, reason: failure });
    if (failure === 'expired') {
      this.#options.log.debug(ADVICE.expired, { resource: this.#resource, verb, cause });
      return;
    }
    this.#trouble = {
      kind: this.#options.type.kind,
      resource: this.#resource,
      verb,
      cause,
      advice: ADVICE[failure],
      sinceMs: this.#trouble?.sinceMs ?? this.#options.clock.now(),
    };
    const identity = `${verb} ${failure}`;
    const fields = { kind: this.#options.type.kind, resource: this.#resource, verb, cause };
    if (this.#logged === identity) this.#options.log.debug('Still cannot follow a resource', fields);
    else this.#options.log.warn(ADVICE[failure], fields);
    this.#logged = identity;
  }

  /** A list was taken over. */
  listed(mode: 'stream' | 'pages', relistReason: string | undefined): void {
    this.#lists.add({ resource: this.#resource, mode });
    if (relistReason !== undefined) this.#relists.add({ resource: this.#resource, reason: relistReason });
  }

  /** A watch was accepted. */
  watching(restartReason: string | undefined): void {
    if (restartReason !== undefined) this.#watches.add({ resource: this.#resource, reason: restartReason });
    this.#trouble = undefined;
  }

  /** A frame arrived: only now is trouble over for the log, since a watch may be accepted and then refused in its first frame. */
  delivered(): void {
    if (this.#logged === undefined) return;
    this.#logged = undefined;
    this.#options.log.info('Following the resource again', { resource: this.#resource });
  }

  /** The streaming list does not work here, lists in pages take its place. */
  fellBack(why: string): void {
    this.#options.log.info('No streaming lists for this resource; it is listed in pages from now on', {
      resource: this.#resource,
      cause: why,
    });
  }

  /** An object was left out. */
  skipped(what: string): void {
    this.#skipped.add({ resource: this.#resource });
    this.#options.log.warn('Object left out of the cache', { resource: this.#resource, cause: what });
  }
}

const ADVICE: Readonly<Record<WatchFailure, string>> = {
  expired: 'The last known version has expired; the resource is listed anew',
  'too-large': 'The API server lags behind the last known version; a consistent list is asked for',
  throttled: 'The API server asks for fewer requests; waiting',
  unanswered: 'The API server does not answer; waiting',
  'not-served': 'The resource is not served; install its CustomResourceDefinition. Looking again from time to time',
  forbidden: 'Access to the resource is refused; grant list and watch on it. Trying again from time to time',
  unauthenticated: 'The API server does not know who asks; renew the credential. Trying again from time to time',
  untrusted: 'The API server is not trusted; name the authority of its certificate. Trying again from time to time',
  unsupported: 'The API server does not understand the request',
  unreadable: 'A stored object cannot be read any more; the resource is listed anew',
  internal: 'The API server failed within a watch; the resource is listed anew',
  'very-short': 'The watch ends at once; a proxy that cannot stream may be in the way. The resource is listed anew',
  other: 'Cannot follow a resource; trying again',
};
