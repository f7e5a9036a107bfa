import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Random } from '../base/random.ts';
import { groupResourceOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { Controller } from '../runtime/controller.ts';
import type { HandlerRegistration } from '../runtime/informer-handler.ts';
import { WorkQueue } from '../runtime/work-queue.ts';
import { WriteLedger } from '../runtime/write-ledger.ts';
import type { Kind } from '../sdk/kind.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { createReconciler } from '../steps/reconciler.ts';
import type { StepObserver } from '../steps/step-observer.ts';
import type { InformerTable } from './informer-table.ts';
import { wakeByWatch, wakeOwn } from './wake-ups.ts';

/** What the controllers are made of. */
export interface ControllersOptions {
  readonly kinds: readonly Kind[];
  readonly informers: InformerTable;
  /** Refuses writes without a valid lease. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly workers: number;
  readonly operatorNamespace: string;
  readonly observer?: StepObserver;
}

/** One controller and the handlers that feed its queue. */
interface Wired {
  readonly controller: Controller;
  readonly handlers: readonly HandlerRegistration[];
}

/** The controllers of all kinds with steps. Queues fill from the start; workers take from them only in `run`. */
export class Controllers {
  readonly #wired: readonly Wired[];

  constructor(options: ControllersOptions) {
    this.#wired = options.kinds.filter((kind) => kind.pipeline !== undefined).map((kind) => wire(kind, options));
  }

  /** True when every handler has heard of every object there was at the start: the queues hold the whole world. */
  hasSynced(): boolean {
    return this.#wired.every(({ handlers }) => handlers.every((handler) => handler.hasSynced()));
  }

  /** Works until `stop`, lets running reconciles end, cuts them off at `abort`. May be called again after a lost lease. */
  async run(stop: AbortSignal, abort: AbortSignal): Promise<void> {
    await Promise.all(this.#wired.map(({ controller }) => controller.run(stop, abort)));
  }
}

function wire(kind: Kind, options: ControllersOptions): Wired {
  const { informers, client, metrics, clock, random } = options;
  const log = options.log.with({ controller: kind.controller });
  const queue = new WorkQueue({ name: kind.controller, clock, random, metrics });
  const ledger = new WriteLedger({
    controller: kind.controller,
    storeOf: (type) => informers.informers.find(({ name }) => name === groupResourceOf(type))?.store,
    clock,
    log,
    metrics,
  });
  const own = informers.of(kind.type);
  const reconcile = createReconciler(kind, {
    ...options,
    client: (owner, uid) => ledger.clientFor(owner, uid, client),
    lookup: informers.lookup,
    statusWriter: new StatusWriter(clock),
  });
  const controller = new Controller({ ...options, name: kind.controller, queue, reconcile, ledger, log: options.log });
  const handlers = [
    own.addHandler(wakeOwn(queue)),
    own.addHandler({ deleted: (last) => ledger.clear(last.metadata, last.metadata.uid) }),
    ...kind.watches.map((watch) => informers.of(watch.type).addHandler(wakeByWatch(queue, watch, informers.lookup))),
  ];
  return { controller, handlers };
}
