import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Gauge, Metrics } from '../base/metrics.ts';
import { between, type Random } from '../base/random.ts';
import type { Unstructured } from '../base/object.ts';
import { refOf } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import { listObjects } from '../kube/list-objects.ts';
import { LEASES } from '../kube/well-known.ts';
import { instanceOf, type ShardInstance } from '../runtime/shard-lease.ts';
import { type AuditedObject, isLive, ShardAudit, type ShardFinding, type ShardReport } from '../runtime/shard-audit.ts';
import { actsForAll, type ShardDeclaration } from '../runtime/shard.ts';
import { TurnBudget } from '../runtime/turn-budget.ts';
import type { Kind } from '../sdk/kind.ts';
import type { InformerTable } from './informer-table.ts';
import { ObjectStages } from './object-stages.ts';
import type { RunConfig } from './run-config.ts';
import { shardNameOf } from './shard-status.ts';

/** What the auditor is made of. */
export interface ShardAuditorOptions {
  readonly kinds: readonly Kind[];
  readonly informers: InformerTable;
  readonly client: KubeClient;
  /** Namespace of the Leases. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

const PERIOD_MS = 30_000;

const TYPES: readonly ShardFinding['type'][] = ['gap', 'overlap', 'handover', 'version'];

/** The auditor of an instance whose caches hold every object, if it is the one of those that audits. */
export function createShardAuditor({
  declaration,
  config,
  ...options
}: Omit<ShardAuditorOptions, 'namespace'> & {
  readonly declaration: ShardDeclaration;
  readonly config: Pick<RunConfig, 'namespace' | 'leader-elect'>;
}): ShardAuditor | undefined {
  return actsForAll(declaration) && config['leader-elect']
    ? new ShardAuditor({ ...options, namespace: config.namespace })
    : undefined;
}

/** Compares, while it runs, what the instances declare on their Leases with the objects there are. Tells of trouble once. */
export class ShardAuditor {
  readonly #options: ShardAuditorOptions;
  readonly #stages: ObjectStages;
  readonly #found: Gauge;
  readonly #owned: Gauge;
  #seen: ReadonlyMap<string, ShardInstance> = new Map();
  #awaited: ShardReport['awaited'] = new Set();
  #told = '';
  #leases: readonly string[] = [];

  constructor(options: ShardAuditorOptions) {
    const { kinds, informers, metrics } = options;
    this.#options = options;
    this.#stages = new ObjectStages({ kinds, lookup: informers.lookup });
    this.#found = metrics.gauge({
      name: 'homeostat_shard_findings',
      help: 'Objects without an owner (gap), with several (overlap) or not handed to theirs (handover), and 1 while instances run different versions.',
      labels: ['type'],
    });
    this.#owned = metrics.gauge({
      name: 'homeostat_shard_objects',
      help: 'Objects by the Lease of the instance that reconciles them.',
      labels: ['lease'],
    });
    for (const type of TYPES) this.#found.set(0, { type });
  }

  /** Audits every half minute until the signal fires. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    for (;;) {
      try {
        await sleep(clock, between(random, 0.9, 1.1) * PERIOD_MS, stop);
        if (this.#options.informers.problem() === undefined) this.#tell(await this.#audit(stop));
      } catch (error) {
        if (stop.aborted) return;
        log.debug('The shards could not be audited', { cause: errorText(error) });
      }
    }
  }

  async #audit(signal: AbortSignal): Promise<ShardReport> {
    const { kinds, informers, clock } = this.#options;
    const instances = await readInstances(this.#options.client, this.#options.namespace, signal);
    const alive = (instance: ShardInstance): boolean => isLive(instance, clock.now(), this.#seen.get(instance.lease));
    const audit = new ShardAudit(
      instances.filter(alive),
      instances.filter((instance) => !alive(instance)),
      this.#awaited,
    );
    this.#seen = new Map(instances.map((instance) => [instance.lease, instance]));
    const budget = new TurnBudget(clock);
    for (const { type } of kinds.filter(({ pipeline }) => pipeline !== undefined)) {
      for (const object of informers.of(type).store.list()) {
        const stage = this.#stages.stageOf(type, object);
        audit.add(auditedObject(object, stage));
        if (budget.isSpent()) await budget.renew();
      }
    }
    const report = audit.report();
    this.#awaited = report.awaited;
    return report;
  }

  #tell({ findings, owned }: ShardReport): void {
    const { log } = this.#options;
    for (const type of TYPES) this.#found.set(findings.filter((finding) => finding.type === type).length, { type });
    for (const lease of this.#leases) if (!Object.hasOwn(owned, lease)) this.#owned.remove({ lease });
    this.#leases = Object.keys(owned);
    for (const [lease, count] of Object.entries(owned)) this.#owned.set(count, { lease });
    const [first] = findings;
    const said = findings.map(({ message }) => message).join('\n');
    if (said === this.#told) return;
    this.#told = said;
    if (first === undefined) log.info('Every object has exactly one owner again');
    else log.warn('Not every object has exactly one owner', { first: first.message, findings: findings.length });
  }
}

/** An object as the audit sees it. */
export function auditedObject(object: Unstructured, stage: string | undefined): AuditedObject {
  return {
    ref: refOf(object),
    ...(stage === undefined ? {} : { stage }),
    shard: shardNameOf(object),
    resourceVersion: object.metadata.resourceVersion,
  };
}

/** The instances that the Leases of a namespace tell of. Rejects as the client does. */
export async function readInstances(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly ShardInstance[]> {
  const instances: ShardInstance[] = [];
  for await (const lease of listObjects(client, LEASES, { namespace }, { signal })) {
    const instance = instanceOf(lease);
    if (instance !== undefined) instances.push(instance);
  }
  return instances;
}
