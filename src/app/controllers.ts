import { InjectionCensus } from '../admission/injection-census.ts';
import { childController, fired } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { EventRecorder } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Outside } from '../base/outside.ts';
import type { Random } from '../base/random.ts';
import type { Outcome } from '../base/outcome.ts';
import { keyOf, type ObjectKey } from '../base/resource.ts';
import type { Tracer } from '../base/tracer.ts';
import type { KubeClient } from '../kube/client.ts';
import { Controller } from '../runtime/controller.ts';
import type { InformerHandler } from '../runtime/informer-handler.ts';
import type { ReconcileRequest } from '../runtime/reconcile.ts';
import type { SharedInformer } from '../runtime/shared-informer.ts';
import type { ReadStore } from '../runtime/store.ts';
import { actsForAll } from '../runtime/shard.ts';
import { TakeoverBarrier } from '../runtime/takeover-barrier.ts';
import { WorkQueue } from '../runtime/work-queue.ts';
import { WriteLedger } from '../runtime/write-ledger.ts';
import type { Kind } from '../sdk/kind.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { createReconciler } from '../steps/reconciler.ts';
import type { StepObserver } from '../steps/step-observer.ts';
import { countConditions } from './condition-census.ts';
import type { InformerTable } from './informer-table.ts';
import { tellOfBrokenWindows, wakeByWindows, type Windows, windowsOf } from './maintenance.ts';
import { ObjectStages } from './object-stages.ts';
import { type KeySink, ShardGate, type ShardGateOptions } from './shard-gate.ts';
import type { ShardLeases } from './shard-leases.ts';
import { wakeByStage } from './stage-wake-ups.ts';
import { wakeByWatch, wakeOwn } from './wake-ups.ts';

/** What the controllers are made of. */
export interface ControllersOptions {
  readonly kinds: readonly Kind[];
  readonly informers: InformerTable;
  readonly client: KubeClient;
  /** Asks for metadata alone. */
  readonly metadataClient: KubeClient;
  /** What the instance reconciles, and the Leases it does so under; absent where it is alone by other means. */
  readonly leases?: ShardLeases | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly workers: number;
  readonly operatorNamespace: string;
  readonly observer?: StepObserver;
  /** @defaultValue records nothing */
  readonly tracer?: Tracer;
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
  readonly gate: ShardGate | undefined;
  readonly informers: readonly SharedInformer[];
}

/** The controllers of all kinds with steps. Queues fill from the start; workers take from them only in `run`. */
export class Controllers {
  readonly #wired: readonly Wired[];
  readonly #options: ControllersOptions;
  /** Of what the webhooks do, by the one instance that acts for all. */
  readonly #census: InjectionCensus | undefined;

  constructor(options: ControllersOptions) {
    this.#options = options;
    const { kinds, informers, events, leases } = options;
    const windows = windowsOf(kinds);
    if (leases === undefined || actsForAll(leases.declaration)) {
      this.#census = new InjectionCensus({
        ...options,
        injections: kinds.flatMap(({ injection }) => injection ?? []),
        lookup: informers.lookup,
        intervalMs: options.recheckMs,
      });
      if (windows !== undefined) informers.of(windows.type).addHandler(tellOfBrokenWindows(windows, events));
    }
    countConditions(options);
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
        // An instance that has nothing to do would give its Lease back and take it again without a pause.
        fired(ending.signal),
        this.#census?.run(ending.signal),
        ...this.#wired.map((wired) => runOne(wired, barrier, stop, abort)),
      ]);
    } finally {
      ending.release();
    }
  }

  /** Makes sure that what others wrote before `sinceMs` is seen before anything is decided on it. Rejects when the signal fires. */
  async catchUp(sinceMs: number, signal: AbortSignal): Promise<void> {
    const barrier = new TakeoverBarrier(sinceMs, this.#options);
    await Promise.all(this.#wired.map((wired) => seeEverything(wired, barrier, signal)));
  }

  /** The end: delayed keys are dropped together with their timers. */
  close(): void {
    for (const { queue } of this.#wired) queue.shutDown();
  }
}

async function runOne(wired: Wired, barrier: TakeoverBarrier, stop: AbortSignal, abort: AbortSignal): Promise<void> {
  const ending = childController(stop, abort);
  try {
    await seeEverything(wired, barrier, ending.signal);
  } catch (error) {
    if (ending.signal.aborted) return;
    throw error;
  } finally {
    ending.release();
  }
  const working = childController(stop, abort);
  try {
    await Promise.all([wired.controller.run(stop, abort), wired.gate?.findLeft(working.signal)]);
  } finally {
    working.release();
  }
}

async function seeEverything(
  { informers, ledger }: Wired,
  barrier: TakeoverBarrier,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    informers.map(async (informer) => {
      await informer.whenSynced(signal);
      const awaited = await barrier.pass(informer, signal);
      if (awaited !== undefined) ledger.doubt(informer.type, awaited);
    }),
  );
}

function wire(kind: Kind, windows: Windows | undefined, options: ControllersOptions): Wired {
  const { informers, client, metrics, clock, random, leases } = options;
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
  const stages = new ObjectStages({ kinds: options.kinds, lookup: informers.lookup });
  const clientFor: ShardGateOptions['clientFor'] = (owner, uid, base) => ledger.clientFor(owner, uid, base);
  const saw: ShardGateOptions['saw'] = (key, { metadata: { uid, resourceVersion } }) =>
    ledger.saw(key, uid, kind.type, resourceVersion);
  const forget = (key: ObjectKey): void => {
    reconcile.forget(key);
    if (own.store.get(key) === undefined) ledger.clear(key);
  };
  const parts = { kind, store: own.store, queue, stages, clientFor, saw, forget, log };
  const gate = leases === undefined ? undefined : new ShardGate({ ...options, ...parts, leases });
  const reconcile = createReconciler(kind, {
    ...options,
    client: (owner, uid) => clientFor(owner, uid, gate?.guarded(owner) ?? client),
    lookup: informers.lookup,
    statusWriter: new StatusWriter(clock),
    ...(windows === undefined ? {} : { maintenance: windows.maintenance }),
  });
  const pass = async (request: ReconcileRequest): Promise<Outcome> => {
    const outcome = await reconcile(request);
    lookAgain(outcome, request, { queue, ledger });
    return outcome;
  };
  const controller = new Controller({
    ...options,
    name: kind.controller,
    queue,
    reconcile: gate === undefined ? pass : (request) => gate.pass(request, () => pass(request)),
    ledger,
    log: options.log,
  });
  const keys = whileThere(gate?.keys ?? queue, own.store, controller);
  own.addHandler(wakeOwn(keys, kind.type, ledger.echoes));
  own.addHandler({ deleted: (last) => ledger.clear(keyOf(last), last.metadata.uid) });
  if (gate !== undefined) own.addHandler(gate.handler);
  own.addHandler(dropAtRest(controller, queue, gate === undefined ? forget : (key) => gate.drop(key)));
  for (const watch of kind.watches) {
    informers.of(watch.type).addHandler(wakeByWatch(keys, watch, informers.lookup, ledger.echoes));
  }
  const read = [
    own,
    ...kind.watches.map((watch) => informers.of(watch.type)),
    ...(windows === undefined ? [] : wakeByWindows(windows, own, keys, informers)),
    ...(gate === undefined ? [] : wakeByStage(own, keys, { informers, stages })),
  ];
  return { controller, queue, ledger, gate, informers: [...new Set(read)] };
}

/** What is gone while nobody works is neither kept in the queue nor remembered until somebody does. */
function dropAtRest(controller: Controller, queue: WorkQueue, forget: (key: ObjectKey) => void): InformerHandler {
  return {
    deleted: (last) => {
      if (controller.isRunning) return;
      queue.drop(keyOf(last));
      forget(keyOf(last));
    },
  };
}

/**
 * Leaves out keys of objects that are not there while nobody works: on an instance that stands by for long they would become a heap. What
 * left a selection meanwhile is looked for when the work begins.
 */
function whileThere(keys: KeySink, store: ReadStore, controller: Controller): KeySink {
  const matters = (key: ObjectKey): boolean => controller.isRunning || store.get(key) !== undefined;
  return {
    add: (key, options) => (matters(key) ? keys.add(key, options) : undefined),
    addAfter: (key, delayMs, options) => (matters(key) ? keys.addAfter(key, delayMs, options) : undefined),
  };
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
