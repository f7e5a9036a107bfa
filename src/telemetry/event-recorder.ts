import { hash } from 'node:crypto';
import { type Clock, toMicroTimestamp } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { EventRecorder, ObjectEvent } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter, Metrics } from '../base/metrics.ts';
import type { Manifest } from '../base/object.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import { EVENTS } from '../kube/well-known.ts';
import { SpamFilter } from './spam-filter.ts';

/** What the recorder is made of. */
export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** `reportingController` of the Events, qualified: `homeostat.io/homeostat`. */
  readonly controller: string;
  /** `reportingInstance`: the Pod. */
  readonly instance: string;
}

/** Events that wait to be sent; more are dropped and counted, since a reconcile must never wait for them. */
const BUFFER = 1000;

/** Equal Events within this time become one Event with a series, refreshed at most this often (client-go events/event_broadcaster). */
const REFRESH_MS = 5 * 60_000;

/** How many sent Events are remembered for their series. */
const REMEMBERED = 4096;

/** Bytes of a note that the API server accepts (core validation of Events, legacyValidateEvent). */
const NOTE_BYTES = 1024;

interface Sent {
  count: number;
  lastSentMs: number;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Sends Events through events.k8s.io/v1. Equal Events are merged into a series, one object is limited to a burst of 25 and one
 * more each 5 minutes, and whatever goes wrong is logged at debug and counted: an Event is never worth a failed reconcile.
 */
export class KubeEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #spam: SpamFilter;
  readonly #emitted: Counter;
  readonly #sent = new Map<string, Sent>();
  readonly #queue: ObjectEvent[] = [];
  #wake: () => void = () => undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#spam = new SpamFilter(options.clock);
    this.#emitted = options.metrics.counter({
      name: 'homeostat_events_emitted_total',
      help: 'Kubernetes Events by what became of them.',
      labels: ['result'],
    });
  }

  record(event: ObjectEvent): void {
    if (this.#queue.length >= BUFFER || !this.#spam.allows(event.regarding.uid ?? event.regarding.name)) {
      this.#emitted.add({ result: 'dropped' });
      return;
    }
    this.#queue.push(event);
    this.#wake();
  }

  /** Sends until the signal fires; what is buffered then is sent still, as far as `drainMs` allow. */
  async run(signal: AbortSignal, drainMs = 2000): Promise<void> {
    while (!signal.aborted) {
      await this.#sendAll(signal);
      if (!signal.aborted && this.#queue.length === 0) await this.#woken(signal);
    }
    const last = new AbortController();
    const timer = this.#options.clock.setTimer(drainMs, () => last.abort(new Error('No time left to send Events')));
    try {
      await this.#sendAll(last.signal);
    } finally {
      timer.cancel();
    }
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      try {
        this.#emitted.add({ result: await this.#send(event, signal) });
      } catch (error) {
        if (signal.aborted) {
          this.#queue.unshift(event);
          return;
        }
        this.#emitted.add({ result: 'failed' });
        this.#options.log.debug('Event not sent', { reason: event.reason, cause: errorText(error) });
      }
    }
  }

  async #send(event: ObjectEvent, signal: AbortSignal): Promise<'created' | 'merged'> {
    const { client, clock } = this.#options;
    const key = eventKey(event);
    const known = this.#sent.get(key);
    const now = clock.now();
    if (known !== undefined) {
      known.count += 1;
      if (now - known.lastSentMs < REFRESH_MS) return 'merged';
      known.lastSentMs = now;
      const series = { count: known.count, lastObservedTime: toMicroTimestamp(now) };
      try {
        await client.patch(EVENTS, known, { type: 'merge', body: { series } }, { signal });
        return 'merged';
      } catch (error) {
        // The API server keeps Events for an hour: what comes again after that is told anew.
        if (!isNotFound(error)) throw error;
        this.#sent.delete(key);
      }
    }
    const manifest = this.#manifest(event, key, now);
    await client.create(EVENTS, manifest, { signal });
    this.#remember(key, {
      count: 1,
      lastSentMs: now,
      namespace: manifest.metadata.namespace ?? 'default',
      name: manifest.metadata.name,
    });
    return 'created';
  }

  /** Events of cluster-scoped objects live in `default`, as the API server demands. The name tells equal Events from later ones. */
  #manifest(event: ObjectEvent, key: string, now: number): Manifest {
    const { regarding } = event;
    const namespace = regarding.namespace ?? 'default';
    const { group: _group, ...reference } = regarding;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: `${regarding.name.slice(0, 200)}.${key.slice(0, 10)}${Math.floor(now / 1000).toString(16)}`,
        namespace,
      },
      eventTime: toMicroTimestamp(now),
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance,
      type: event.type,
      reason: event.reason,
      action: event.action,
      note: shortened(event.note),
      regarding: reference,
    };
  }

  #remember(key: string, sent: Sent): void {
    this.#sent.set(key, sent);
    const oldest = this.#sent.keys().next();
    if (this.#sent.size > REMEMBERED && oldest.done !== true) this.#sent.delete(oldest.value);
  }

  /** Resolves when an Event was recorded or the signal fired. */
  #woken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        signal.removeEventListener('abort', finish);
        this.#wake = () => undefined;
        resolve();
      };
      this.#wake = finish;
      signal.addEventListener('abort', finish, { once: true });
    });
  }
}

function shortened(note: string): string {
  if (Buffer.byteLength(note) <= NOTE_BYTES) return note;
  const cut = '…';
  // Reads whole characters only, and so many that they fit.
  const { read } = new TextEncoder().encodeInto(note, new Uint8Array(NOTE_BYTES - Buffer.byteLength(cut)));
  return note.slice(0, read) + cut;
}

function eventKey(event: ObjectEvent): string {
  const { regarding, type, reason, action, note } = event;
  const parts = [
    regarding.uid ?? '',
    regarding.kind,
    regarding.namespace ?? '',
    regarding.name,
    type,
    reason,
    action,
    note,
  ];
  return hash('sha256', parts.join('\n'));
}
