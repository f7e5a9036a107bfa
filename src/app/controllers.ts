import { InjectionCensus } from '../admission/injection-census.ts';
import { childController } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Outside } from '../base/outside.ts';
import type { Random } from '../base/random.ts';
import type { Outcome } from '../base/outcome.ts';
import { keyOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { Controller } from '../runtime/controller.ts';
import type { ReconcileRequest } from '../runtime/reconcile.ts';
import type { SharedInformer } from '../runtime/shared-informer.ts';
import { TakeoverBarrier } from '../runtime/takeover-barrier.ts';
import { WorkQueue } from '../runtime/work-queue.ts';
import { WriteLedger } from '../runtime/write-ledger.ts';
import type { Kind } from '../sdk/kind.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { createReconciler } from '../steps/reconciler.ts';
import type { StepObserver } from '../steps/step-observer.ts';
import type { InformerTable } from './informer-table.ts';
import { tellOfBrokenWindows, wakeByWindows, type Windows, windowsOf } from './maintenance.ts';
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
  /** Image of this service. */
  readonly image: string;
  readonly outside: Outside;
  readonly recheckMs: () => number;
}

/** One controller and the informers whose handlers feed its queue. */
interface Wired {
  readonly controller: Controller;
  readonly queue: WorkQueue;
  readonly ledger: WriteLedger;
  readonly informers: readonly SharedInformer[];
}

/** The controllers of all kinds with steps. Queues fill from the start; workers take from them only in `run`. */
export class Controllers {
  readonly #wired: readonly Wired[];
  readonly #options: ControllersOptions;
  readonly #census: InjectionCensus;

  constructor(options: ControllersOptions) {
    this.#options = options;
    this.#census = new InjectionCensus({
      ...options,
      injections: options.kinds.flatMap(({ injection }) => injection ?? []),
      lookup: options.informers.lookup,
      intervalMs: options.recheckMs,
    });
    const { kinds, informers, events } = options;
    const windows = windowsOf(kinds);
    if (windows !== undefined) informers.of(windows.type).addHandler(tellOfBrokenWindows(windows, events));
    this.#wired = kinds.filter((kind) => kind.pipeline !== undefined).map((kind) => wire(kind, windows, options));
  }

  /**
   * Works until `stop`, lets running reconciles end, cuts them off at `abort`. A kind starts when the caches it reads are complete;
   * one whose caches are not does not hold up the others. May be called again after a lost lease. `aloneSinceMs` is the moment on
   * the monotonic clock from which on no other instance writes.
   */
  async run(stop: AbortSignal, abort: AbortSignal, aloneSinceMs: number): Promise<void> {
    const barrier = new TakeoverBarrier(aloneSinceMs, this.#options);
    const ending = childController(stop, abort);
    try {
      await Promise.all([
        this.#census.run(ending.signal),
        ...this.#wired.map((wired) => runOne(wired, barrier, stop, abort)),
      ]);
    } finally {
      ending.release();
    }
  }

  /** The end: delayed keys are dropped together with their timers. */
  close(): void {
    for (const { queue } of this.#wired) queue.shutDown();
  }
}

async function runOne(wired: Wired, barrier: TakeoverBarrier, stop: AbortSignal, abort: AbortSignal): Promise<void> {
  const { controller, informers, ledger } = wired;
  const ending = childController(stop, abort);
  try {
    await Promise.all(
      informers.map(async (informer) => {
        await informer.whenSynced(ending.signal);
        const awaited = await barrier.pass(informer, ending.signal);
        if (awaited !== undefined) ledger.doubt(informer.type, awaited);
      }),
    );
  } catch (error) {
    if (ending.signal.aborted) return;
    throw error;
  } finally {
    ending.release();
  }
  await controller.run(stop, abort);
}

function wire(kind: Kind, windows: Windows | undefined, options: ControllersOptions): Wired {
  const { informers, client, metrics, clock, random } = options;
  const log = options.log.with({ controller: kind.controller });
  const queue = new WorkQueue({ name: kind.controller, clock, random, metrics });
  const ledger = new WriteLedger({
    controller: kind.controller,
    storeOf: (type) => informers.find(type)?.store,
    watched: [kind.type, ...kind.watches.map(({ type }) => type)],
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
    ...(windows === undefined ? {} : { maintenance: windows.maintenance }),
  });
  const controller = new Controller({
    ...options,
    name: kind.controller,
    queue,
    reconcile: async (request) => {
      const outcome = await reconcile(request);
      lookAgain(outcome, request, { queue, ledger });
      return outcome;
    },
    ledger,
    log: options.log,
  });
  own.addHandler(wakeOwn(queue, kind.type, ledger.echoes));
  own.addHandler({ deleted: (last) => ledger.clear(keyOf(last), last.metadata.uid) });
  for (const watch of kind.watches) {
    informers.of(watch.type).addHandler(wakeByWatch(queue, watch, informers.lookup, ledger.echoes));
  }
  const read = [
    own,
    ...kind.watches.map((watch) => informers.of(watch.type)),
    ...(windows === undefined ? [] : wakeByWindows(windows, own, queue, informers)),
  ];
  return { controller, queue, ledger, informers: [...new Set(read)] };
}

/** A pass that wrote and then waits is taken up again when the caches show what it wrote: no echo of its own writes does that. */
function lookAgain(
  outcome: Outcome,
  { key }: ReconcileRequest,
  { queue, ledger }: Pick<Wired, 'queue' | 'ledger'>,
): void {
  if (outcome.type !== 'waiting' || !ledger.hasWritten(key)) return;
  if (outcome.requeueAfterMs === undefined || outcome.byEvent === true) queue.add(key, { cause: 'Own write' });
}
