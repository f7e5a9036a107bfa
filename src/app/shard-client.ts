import type { Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type { CallOptions, KubeClient } from '../kube/client.ts';
import { LeaseGuard, LeaseLost, type LeaseValidity } from '../runtime/lease-guard.ts';
import type { ShardName } from '../runtime/shard.ts';
import { shardNameOf } from './shard-status.ts';

/** The object that a client works for, and the shard that it named when its pass began. */
export interface ShardSubject {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly shard: () => ShardName | undefined;
}

/**
 * A client for the pass of one object. It writes only while the Leases of that pass are held, and ends a pass that reads its own object
 * anew and finds another shard on it: a lost race is no reason to write on top of the next owner.
 */
export class ShardClient extends LeaseGuard {
  readonly #subject: ShardSubject;

  constructor(client: KubeClient, lease: LeaseValidity, subject: ShardSubject) {
    super(client, lease);
    this.#subject = subject;
  }

  /** @throws LeaseLost where the object belongs to another shard by now, and what the client throws */
  override async get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured> {
    const object = await super.get(type, key, options);
    const { type: own, key: ownKey, shard } = this.#subject;
    const isOwn = groupResourceOf(type) === groupResourceOf(own) && formatKey(key) === formatKey(ownKey);
    const began = shard();
    if (isOwn && began !== undefined && shardNameOf(object) !== began) {
      throw new LeaseLost(`${own.kind} ${formatKey(key)} belongs to shard ${shardNameOf(object)} by now`);
    }
    return object;
  }
}
