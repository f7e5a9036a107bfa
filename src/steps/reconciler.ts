import type { KubeObject } from '../base/object.ts';
import { done, noop, type Outcome } from '../base/outcome.ts';
import { formatKey, keyOf, type ObjectKey } from '../base/resource.ts';
import { describeOpenWindow, maintenanceOf, type OpenWindow } from '../rules/maintenance.ts';
import type { Reconcile, ReconcileRequest } from '../runtime/reconcile.ts';
import { conditionsOf } from '../status/conditions.ts';
import type { ChainLink, PassReport } from '../status/pass-report.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import type { StatusWritten } from '../status/status-writer.ts';
import { ApplyPass, type ChainResult, initialLinks } from './apply-pass.ts';
import { applyChildren } from './children.ts';
import { classify, type Halt } from './classify.ts';
import { loopWait } from './circuit-breaker.ts';
import { CountingClient } from './counting-client.ts';
import { KeyMemory } from './key-memory.ts';
import type { Pass, ReconcilerDeps } from './pass.ts';
import { announceTransitions, announceWindow } from './pass-events.ts';
import { type Pipeline, PipelineInvalid } from './pipeline.ts';
import { prepared } from './recheck.ts';
import { ReadAfterCreateClient } from './read-after-create.ts';
import { removeAll } from './remove-pass.ts';
import { RequestedPass } from './requested-pass.ts';
import type { ReconcileSlice } from './slice.ts';
import { type StepMetrics, stepMetrics } from './step-metrics.ts';
import { untilWindowChanges } from './window-change.ts';
import { findObject } from '../kube/find-object.ts';

/** Stops the engine for one object, deletion excepted, until it is taken off. */
export const SUSPEND_ANNOTATION = 'homeostat.io/suspend';

/** The reconcile function of a kind, and an end to what it remembers of an object. */
export interface KindReconcile extends Reconcile {
  /** Drops what is remembered of an object that is gone, or another instance's; not while it is being reconciled. */
  forget(key: ObjectKey): void;
}

/**
 * Makes the reconcile function of a kind.
 *
 * A pass reads the object from the cache, and live before it takes anything away for a deletion; checks it again as admission would,
 * applies the steps in order until one holds the chain, and leaves one status and one outcome. Whatever is thrown becomes an outcome.
 *
 * The function rejects with the signal's reason when it was cut off, so that the caller keeps the key; nothing is told of that pass.
 *
 * @throws PipelineInvalid when the kind has no pipeline
 */
export function createReconciler(slice: ReconcileSlice, deps: ReconcilerDeps): KindReconcile {
  if (slice.pipeline === undefined) throw new PipelineInvalid(`${slice.type.kind} has none, so it needs no controller`);
  const reconciler = new Reconciler(slice, slice.pipeline, deps);
  const reconcile: Reconcile = (request) => reconciler.reconcile(request);
  return Object.assign(reconcile, { forget: (key: ObjectKey) => reconciler.forget(key) });
}

class Reconciler {
  readonly #slice: ReconcileSlice;
  readonly #pipeline: Pipeline;
  readonly #deps: ReconcilerDeps;
  readonly #metrics: StepMetrics;
  readonly #memory: KeyMemory;

  constructor(slice: ReconcileSlice, pipeline: Pipeline, deps: ReconcilerDeps) {
    this.#slice = slice;
    this.#pipeline = pipeline;
    this.#deps = deps;
    this.#metrics = stepMetrics(deps.metrics);
    this.#memory = new KeyMemory(slice.type.kind, deps.clock, this.#metrics.orphans);
  }

  async reconcile(request: ReconcileRequest): Promise<Outcome> {
    const outcome = await this.#outcomeOf(request);
    if (request.signal.aborted && outcome.type === 'transient') throw request.signal.reason;
    return outcome;
  }

  async #outcomeOf(request: ReconcileRequest): Promise<Outcome> {
    try {
      const cached = await this.#read(request);
      if (cached === undefined) return this.#end(request.key);
      if (this.#memory.replaces(formatKey(request.key), cached.metadata.uid)) {
        this.#deps.statusWriter.forget(this.#slice.type, request.key);
      }
      const pass = this.#begin(request, cached);
      if (cached.metadata.deletionTimestamp !== undefined) return await this.#remove(pass);
      if (cached.metadata.annotations?.[SUSPEND_ANNOTATION] === 'true') return await this.#suspend(pass);
      const { PauseReconcile: window } = pass.maintenance.open;
      return untilWindowChanges(window === undefined ? await this.#apply(pass) : await this.#pause(pass, window), pass);
    } catch (error) {
      const halt = classify(error, request.signal);
      if (halt.type !== 'transient') {
        const err = error instanceof Error ? error : undefined;
        request.log.error('The pass could not be finished', { reason: halt.reason, err });
      }
      return halt;
    }
  }

  /** The object from the cache; live where the cache may lack what was written last, and before what it had made is taken away. */
  async #read({ key, signal, cacheBehind = false }: ReconcileRequest): Promise<KubeObject | undefined> {
    const { type } = this.#slice;
    const cached = this.#deps.lookup.get<KubeObject>(type, key);
    if (!cacheBehind && (cached === undefined || !this.#isToRemove(cached))) return cached;
    return findObject(this.#deps.client(key, cached?.metadata.uid ?? ''), type, key, { signal });
  }

  #isToRemove(object: KubeObject): boolean {
    const { finalizer } = this.#pipeline;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined || finalizer === undefined || !finalizers.includes(finalizer.name))
      return false;
    return !this.#memory.isReleased(formatKey(keyOf(object)));
  }

  #begin(request: ReconcileRequest, cached: KubeObject): Pass {
    const { clock, lookup, maintenance } = this.#deps;
    const now = clock.now();
    const own = this.#deps.client(request.key, cached.metadata.uid);
    const client = new CountingClient(new ReadAfterCreateClient(own, clock));
    const { signal, cacheBehind = false } = request;
    const children = { owner: cached, controller: this.#slice.controller, client, lookup, cacheBehind, signal };
    return {
      slice: this.#slice,
      pipeline: this.#pipeline,
      deps: this.#deps,
      metrics: this.#metrics,
      told: this.#memory.told,
      request,
      cached,
      client,
      object: prepared(this.#slice, cached),
      generation: cached.metadata.generation ?? 0,
      now,
      maintenance: maintenanceOf(maintenance, { type: this.#slice.type, object: cached }, lookup, now),
      apiFor: (step) => ({
        lookup,
        cacheBehind,
        client,
        outside: this.#deps.outside ?? {},
        image: this.#deps.image ?? 'homeostat',
        applyChildren: (set) =>
          applyChildren(set, { ...children, step, memory: this.#memory.children, metrics: this.#metrics }),
      }),
    };
  }

  async #apply(pass: Pass): Promise<Outcome> {
    const key = formatKey(pass.request.key);
    const asked = new RequestedPass(pass.cached);
    // A person wants to see it tried: neither the breaker nor the growing pace of a refusal holds that up.
    if (asked.isNew) this.#memory.startOver(key);
    const restMs = this.#memory.breaker.remainingMs(key, pass.generation);
    if (restMs > 0) return loopWait('', restMs);
    const ran = await new ApplyPass(pass).run((links, object) => this.#firstSight(pass, links, object));
    const result = this.#breakLoop(pass, ran);
    const counted = wrote(pass, ran);
    const { links, halt, pause, given, object } = result;
    const fields = this.#pipeline.status?.({ ...given }, pass.object);
    const orphaned = this.#memory.orphans.words(pass, halt === undefined && !counted);
    const written = await this.#writeStatus(pass, object, {
      report: this.#report(pass, { phase: 'applying', links, pause, orphaned }),
      fields: { ...fields, ...asked.fields },
      outcome: halt?.reason ?? pause?.condition ?? ENGINE_REASONS.ready,
    });
    if (written.type === 'written') {
      announceTransitions(pass, links, written);
      announceWindow(pass, written);
      if (!counted && this.#memory.breaker.recordWrite(key, pass.generation)) {
        pass.request.log.warn('Every pass writes another status; this object rests now');
        return loopWait('', this.#memory.breaker.remainingMs(key, pass.generation));
      }
    }
    if (halt !== undefined) return this.#paced(key, halt);
    this.#memory.notDenied(key);
    const again = this.#again(result.requeueAfterMs);
    return ran.lastChange === undefined ? noop(undefined, again) : done(undefined, again);
  }

  /** When to look again although nothing is wrong: the earlier of what the steps and the kind itself ask for. */
  #again(stepsMs = Number.POSITIVE_INFINITY): { readonly requeueAfterMs?: number } {
    const recheckMs = this.#pipeline.rechecks === true ? this.#deps.recheckMs?.() : undefined;
    const requeueAfterMs = Math.min(stepsMs, recheckMs ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : {};
  }

  /** Tells at once that an object was seen, so that nobody waits for a first word through a long pass. */
  async #firstSight(pass: Pass, links: readonly ChainLink[], object: KubeObject): Promise<KubeObject> {
    if (conditionsOf(object).length > 0) return object;
    const report = this.#report(pass, { phase: 'starting', links });
    const written = await this.#writeStatus(pass, object, { report });
    return written.type === 'written' ? written.object : object;
  }

  /** Turns one writing pass too many into a halt of the step that wrote last. */
  #breakLoop(pass: Pass, ran: ChainResult): ChainResult {
    const key = formatKey(pass.request.key);
    if (!wrote(pass, ran) || !this.#memory.breaker.recordWrite(key, pass.generation)) return ran;
    const { link: blamed, what } = ran.lastChange ?? { link: 0, what: '' };
    const halt = loopWait(what, this.#memory.breaker.remainingMs(key, pass.generation));
    const links = ran.links.map((link, index): ChainLink => {
      if (index < blamed) return link;
      return { ...link, result: index === blamed ? { type: 'halted', outcome: halt } : { type: 'unreached' } };
    });
    return { ...ran, links, halt };
  }

  async #suspend(pass: Pass): Promise<Outcome> {
    const message = `Held by the annotation ${SUSPEND_ANNOTATION}; take it off to go on`;
    const pause = { condition: 'Suspended', reason: ENGINE_REASONS.suspended, message };
    const report = this.#report(pass, { phase: 'suspended', links: initialLinks(this.#pipeline), pause });
    await this.#writeStatus(pass, pass.cached, { report });
    return noop(undefined);
  }

  /** A whole pass is held back, never a single step: half of one would leave a state that nobody asked for. */
  async #pause(pass: Pass, window: OpenWindow): Promise<Outcome> {
    const message = describeOpenWindow(window);
    const pause = { condition: 'Paused', reason: ENGINE_REASONS.maintenanceWindow, message };
    const report = this.#report(pass, { phase: 'suspended', links: initialLinks(this.#pipeline), pause });
    const written = await this.#writeStatus(pass, pass.cached, { report });
    if (written.type === 'written') announceWindow(pass, written);
    return noop(undefined);
  }

  async #remove(pass: Pass): Promise<Outcome> {
    const { finalizer } = this.#pipeline;
    const key = formatKey(pass.request.key);
    if (finalizer === undefined || !this.#isToRemove(pass.cached)) return noop(undefined);
    const { links, halt } = await removeAll(pass, finalizer, (last) => this.#lastWords(pass, last));
    if (halt === undefined) {
      this.#memory.released(key);
      return done(undefined);
    }
    const report = this.#report(pass, { phase: 'removing', links });
    const written = await this.#writeStatus(pass, pass.cached, { report, outcome: halt.reason });
    if (written.type === 'written') announceTransitions(pass, links, written);
    return halt;
  }

  /** An object that others hold outlives our finalizer: its status must not speak of a removal that is over. */
  async #lastWords(pass: Pass, links: readonly ChainLink[]): Promise<KubeObject> {
    const heldBy = pass.cached.metadata.finalizers?.filter((name) => name !== this.#pipeline.finalizer?.name) ?? [];
    if (heldBy.length === 0) return pass.cached;
    const report = this.#report(pass, { phase: 'removing', links, heldBy });
    const written = await this.#writeStatus(pass, pass.cached, { report });
    return written.type === 'written' ? written.object : pass.cached;
  }

  #report(pass: Pass, part: Omit<PassReport, 'generation' | 'attempts' | 'owned'>): PassReport {
    const { finalizer } = this.#pipeline;
    const owned = finalizer === undefined ? [] : [finalizer.deleted];
    return { ...part, generation: pass.generation, attempts: pass.request.failures + 1, owned };
  }

  #writeStatus(
    pass: Pass,
    object: KubeObject,
    {
      outcome,
      ...intent
    }: Pick<Parameters<ReconcilerDeps['statusWriter']['write']>[0], 'report' | 'fields'> & {
      readonly outcome?: string;
    },
  ): Promise<StatusWritten> {
    const { request, client } = pass;
    return this.#deps.statusWriter.write({
      ...intent,
      type: this.#slice.type,
      object,
      // Steps hand on the cached object itself until one of them writes to it.
      isAnswer: object !== pass.cached,
      client,
      signal: request.signal,
      log: request.log,
      fieldManager: this.#slice.controller,
      ...(outcome === undefined ? {} : { history: { outcome, trigger: request.causes[0] ?? 'event' } }),
    });
  }

  /** A policy that keeps refusing is asked less and less often. */
  #paced(key: string, halt: Halt): Outcome {
    if (halt.type !== 'waiting' || halt.reason !== ENGINE_REASONS.denied) {
      this.#memory.notDenied(key);
      return halt;
    }
    return { ...halt, requeueAfterMs: this.#memory.pauseAfterDenial(key) };
  }

  forget(key: ObjectKey): void {
    this.#memory.forget(formatKey(key));
    this.#deps.statusWriter.forget(this.#slice.type, key);
  }

  #end(key: ObjectKey): Outcome {
    this.forget(key);
    return noop(undefined);
  }
}

function wrote(pass: Pass, ran: ChainResult): boolean {
  return pass.client.writes > 0 || ran.lastChange !== undefined;
}
