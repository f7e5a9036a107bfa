import { HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { KubeObject } from '../base/object.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Outside } from '../base/outside.ts';
import type { ObjectKey } from '../base/resource.ts';
import type { Reconcile } from '../runtime/reconcile.ts';
import type { Kind } from '../sdk/kind.ts';
import { conditionFaults } from '../status/kstatus.ts';
import { StatusWriter } from '../status/status-writer.ts';
import { createReconciler } from '../steps/reconciler.ts';
import { type Fault, PlannedFaults } from './fault.ts';
import { interceptedClient, isWrite, type Request } from './intercepted-client.ts';
import { LaggingCache } from './lagging-cache.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from './recording-ports.ts';
import type { TestCluster } from './test-cluster.ts';

/** How a controller is disturbed. */
export interface Disturbance {
  /** The process dies right after this request was carried out, counted from 1, and is started again. */
  readonly crashAfter?: number;
  /** How many writes the caches are behind. */
  readonly lag?: number;
  readonly faults?: readonly Fault[];
}

/** What a controller is started with. */
export interface RunnerOptions extends Disturbance {
  /** Systems outside the cluster. They outlive the process, as the cluster does. @defaultValue none was configured */
  readonly outside?: Outside;
}

/** Passes after which a controller that still finds something to do is called restless. */
const MOST_PASSES = 60;

/** How far the clock moves between two passes: enough for the cluster's own controllers to go on. */
const BETWEEN_PASSES_MS = 5000;

/** The process died; nothing it holds in memory is left. */
class Crash extends Error {}

/** The controller of one kind on a {@link TestCluster}: it runs passes over one object and notes what they do. */
export class KindRunner {
  readonly requests: Request[] = [];
  readonly events = recordingEvents();
  readonly log = recordingLogger();
  /** What is wrong with the statuses that were written, by the rules of kstatus and condition checkers. */
  readonly statusFaults = new Set<string>();
  readonly #kind: Kind;
  readonly #cluster: TestCluster;
  readonly #cache: LaggingCache;
  readonly #faults: PlannedFaults;
  readonly #crashAfter: number | undefined;
  readonly #outside: Outside;
  #life = new AbortController();
  #reconcile: Reconcile;
  #failures = 0;

  constructor(kind: Kind, cluster: TestCluster, options: RunnerOptions = {}) {
    this.#kind = kind;
    this.#cluster = cluster;
    this.#cache = new LaggingCache(cluster, options.lag ?? 0);
    this.#faults = new PlannedFaults(options.faults ?? []);
    this.#crashAfter = options.crashAfter;
    this.#outside = options.outside ?? {};
    this.#reconcile = this.#start();
  }

  /** Loses everything the process knew, as a restart does. */
  restart(): void {
    this.#life = new AbortController();
    this.#failures = 0;
    this.#reconcile = this.#start();
  }

  /** Forgets what was noted so far. */
  forget(): void {
    this.requests.length = 0;
    this.events.events.length = 0;
  }

  /** One pass over an object, with caches that show what their lag allows. `undefined` when the process died in it. */
  async pass(key: ObjectKey): Promise<Outcome | undefined> {
    await this.#cache.advance();
    const { signal } = this.#life;
    const request = { key, signal, causes: ['test'], failures: this.#failures, log: this.log, reconcileId: 'test' };
    try {
      const outcome = await this.#reconcile(request);
      this.#failures = outcome.type === 'transient' ? this.#failures + 1 : 0;
      return outcome;
    } catch (error) {
      if (signal.reason instanceof Crash) {
        this.restart();
        return undefined;
      }
      throw error;
    }
  }

  /**
   * Passes until one finds nothing to write and the next comes to the same.
   *
   * @throws HomeostatError `HOMEOSTAT_TESTKIT_RESTLESS` when that does not come about
   */
  async settle(key: ObjectKey): Promise<Outcome> {
    let before: Outcome | undefined;
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      const sent = this.#writes();
      const outcome = await this.pass(key);
      await this.#cluster.advance(BETWEEN_PASSES_MS);
      const quiet = outcome !== undefined && this.#writes() === sent && sameOutcome(outcome, before);
      if (quiet && outcome.type !== 'transient' && !this.#cache.catchUp()) return outcome;
      before = outcome;
    }
    const last = this.requests.filter(isWrite).slice(-3).map(describeRequest).join(', ');
    throw new HomeostatError(
      'HOMEOSTAT_TESTKIT_RESTLESS',
      `${this.#kind.type.kind} still finds something to do after ${MOST_PASSES} passes; its last writes were: ${last}`,
    );
  }

  #writes(): number {
    return this.requests.filter(isWrite).length;
  }

  #start(): Reconcile {
    const { clock, client } = this.#cluster;
    const intercepted = interceptedClient(client, (request, send) => this.#intercept(request, send));
    return createReconciler(this.#kind, {
      client: () => intercepted,
      lookup: this.#cache,
      clock,
      events: this.events,
      metrics: recordingMetrics(),
      statusWriter: new StatusWriter(clock),
      operatorNamespace: 'homeostat-system',
      outside: this.#outside,
    });
  }

  async #intercept<Answer>(request: Request, send: () => Promise<Answer>): Promise<Answer> {
    this.#life.signal.throwIfAborted();
    this.requests.push(request);
    this.#faults.strike(request);
    const answer = await send();
    if (isWrite(request)) await this.#cache.note();
    if (request.subresource === 'status' && isRecord(answer)) {
      // The answer to a status patch is the object that was patched.
      for (const fault of conditionFaults(answer as unknown as KubeObject)) this.statusFaults.add(fault);
    }
    if (this.requests.length === this.#crashAfter) this.#life.abort(new Crash());
    this.#life.signal.throwIfAborted();
    return answer;
  }
}

/** A request in words: `apply ResourceQuota team-a-dev/compute`. */
export function describeRequest({ verb, type, key, subresource }: Request): string {
  const name = key === undefined ? '' : ` ${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name}`;
  return `${verb} ${type.kind}${subresource === undefined ? '' : `/${subresource}`}${name}`;
}

function sameOutcome(outcome: Outcome, before: Outcome | undefined): boolean {
  if (before === undefined) return outcome.type === 'noop';
  return outcome.type === before.type && reasonOf(outcome) === reasonOf(before);
}

function reasonOf(outcome: Outcome): string | undefined {
  return outcome.reason;
}
