import { formatRef, type Ref } from '../base/resource.ts';
import { formatDeclaration, leaseOf, neededShards, selects, type ShardName } from './shard.ts';
import type { ShardInstance } from './shard-lease.ts';

/** An object as the audit sees it. */
export interface AuditedObject {
  readonly ref: Pick<Ref, 'kind' | 'namespace' | 'name'>;
  /** Absent where it has none. */
  readonly stage?: string;
  /** The shard that it names, the common one where it names none. */
  readonly shard: ShardName;
  readonly resourceVersion: string;
}

/** Something that keeps an object from having exactly one owner, or may soon. */
export interface ShardFinding {
  readonly type: 'gap' | 'overlap' | 'handover' | 'version';
  /** The object, for all but versions: `Environment team-a/dev`. */
  readonly object?: string;
  readonly stage?: string;
  /** Leases of the instances that are concerned. */
  readonly leases: readonly string[];
  /** What is wrong and what to do, in a sentence or two. */
  readonly message: string;
}

/** What an audit came to. */
export interface ShardReport {
  readonly objects: number;
  /** How many objects each instance reconciles, by its Lease. */
  readonly owned: Readonly<Record<string, number>>;
  readonly findings: readonly ShardFinding[];
  /** Objects in this very state whose owner may not work on them yet, for the next audit. */
  readonly awaited: ReadonlySet<string>;
}

/**
 * Whether somebody holds the Lease of an instance. `nowMs` may be of another machine's clock, so a Lease that seems to have run out
 * counts as held if it was renewed since an earlier look.
 */
export function isLive(instance: ShardInstance, nowMs: number, earlier?: ShardInstance): boolean {
  if (instance.holder === '') return false;
  if (earlier !== undefined && earlier.renewTime !== instance.renewTime) return true;
  return Date.parse(instance.renewTime) + instance.durationSeconds * 1000 > nowMs;
}

/** Proves that every object has exactly one owner, or says which has none or several. One audit looks at one moment. */
export class ShardAudit {
  readonly #live: readonly ShardInstance[];
  readonly #gone: readonly ShardInstance[];
  readonly #owned = new Map<string, number>();
  readonly #findings: ShardFinding[] = [];
  readonly #awaited = new Set<string>();
  readonly #before: ReadonlySet<string>;
  #objects = 0;

  /**
   * @param gone instances that nobody is any more, of which a Lease is left
   * @param before what an earlier audit found `awaited`: an object that is so still was not handed over
   */
  constructor(
    live: readonly ShardInstance[],
    gone: readonly ShardInstance[],
    before: ShardReport['awaited'] = new Set(),
  ) {
    this.#live = live;
    this.#gone = gone;
    this.#before = before;
    for (const { lease } of live) this.#owned.set(lease, 0);
    const versions = new Set(live.map(({ version }) => version));
    if (versions.size > 1) this.#findings.push(unequal(live));
  }

  /** Looks at one object. */
  add(object: AuditedObject): void {
    this.#objects += 1;
    const owners = this.#ownersOf(object);
    for (const { lease } of owners) this.#owned.set(lease, (this.#owned.get(lease) ?? 0) + 1);
    if (owners.length === 0) this.#findings.push(this.#gap(object));
    else if (owners.length > 1) this.#findings.push(overlap(object, owners));
    else for (const owner of owners) this.#askForHandover(object, owner);
  }

  /** What the objects so far came to. */
  report(): ShardReport {
    return {
      objects: this.#objects,
      owned: Object.fromEntries(this.#owned),
      findings: [...this.#findings],
      awaited: this.#awaited,
    };
  }

  #askForHandover({ ref, stage, shard, resourceVersion }: AuditedObject, owner: ShardInstance): void {
    if (neededShards(owner.declaration, stage).includes(shard)) return;
    const object = formatRef(ref);
    const state = `${object} ${resourceVersion}`;
    this.#awaited.add(state);
    if (!this.#before.has(state)) return;
    const leases = [owner.lease, leaseOf(shard)];
    this.#findings.push({
      type: 'handover',
      object,
      ...(stage === undefined ? {} : { stage }),
      leases,
      message: `${object} ${ofStage(stage)} is still in shard ${shard}, and ${describe([owner])} waits for it; see the log of whoever holds the Lease ${leaseOf(shard)}`,
    });
  }

  /** An instance that reconciles everything leaves a stage to the instance of that stage: it cannot have its Lease. */
  #ownersOf({ ref, stage }: AuditedObject): readonly ShardInstance[] {
    const selecting = this.#live.filter(({ declaration }) => selects(declaration, ref, stage));
    if (!selecting.some(({ declaration }) => declaration.type === 'stage')) return selecting;
    return selecting.filter(({ declaration }) => declaration.type !== 'all');
  }

  #gap({ ref, stage }: AuditedObject): ShardFinding {
    const object = formatRef(ref);
    const missing = this.#gone.find(({ declaration }) => selects(declaration, ref, stage));
    const why =
      missing === undefined
        ? `none of ${describe(this.#live)} reconciles it; start an instance that does`
        : `nobody holds the Lease ${missing.lease} of ${formatDeclaration(missing.declaration)}; see why it does not run`;
    return {
      type: 'gap',
      object,
      ...(stage === undefined ? {} : { stage }),
      leases: missing === undefined ? [] : [missing.lease],
      message: `${object} ${ofStage(stage)} has no owner: ${why}`,
    };
  }
}

function overlap({ ref, stage }: AuditedObject, owners: readonly ShardInstance[]): ShardFinding {
  const object = formatRef(ref);
  return {
    type: 'overlap',
    object,
    ...(stage === undefined ? {} : { stage }),
    leases: owners.map(({ lease }) => lease),
    message: `${object} ${ofStage(stage)} has ${owners.length} owners: ${describe(owners)}; whoever had it first keeps it. Change the flags so that one reconciles it`,
  };
}

function unequal(live: readonly ShardInstance[]): ShardFinding {
  const each = live.map(({ lease, version }) => `${version === '' ? 'an unknown one' : version} (Lease ${lease})`);
  return {
    type: 'version',
    leases: live.map(({ lease }) => lease),
    message: `Instances run different versions: ${each.join(', ')}; give all the same image`,
  };
}

function describe(instances: readonly ShardInstance[]): string {
  if (instances.length === 0) return 'no instance at all';
  return instances.map(({ declaration, lease }) => `${formatDeclaration(declaration)} (Lease ${lease})`).join(', ');
}

function ofStage(stage: string | undefined): string {
  return stage === undefined ? 'without a stage' : `of stage "${stage}"`;
}
