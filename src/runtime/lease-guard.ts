import { HomeostatError } from '../base/errors.ts';
import type { Unstructured } from '../base/object.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import type { KubeClient, Status } from '../kube/client.ts';
import { ForwardingClient, type Write } from './forwarding-client.ts';

/** The one question a guard asks, before each write. */
export interface LeaseValidity {
  /** False as soon as somebody else may hold the lease. */
  isValid(): boolean;
}

/** A write was refused since another instance may lead by now. Code `HOMEOSTAT_LEASE_LOST`; the new leader carries on. */
export class LeaseLost extends HomeostatError {
  constructor(what: string) {
    super('HOMEOSTAT_LEASE_LOST', `${what}: the lease is not held any more; the instance that holds it carries on`);
  }
}

/**
 * A client that writes only while the lease is valid by the local monotonic clock. It closes the gap between the moment a lease
 * runs out and the moment a busy event loop notices, for the repetitions of a write too: a process that stood still while it waited for
 * one would send it on top of the next leader's writes.
 */
export class LeaseGuard extends ForwardingClient {
  readonly #lease: LeaseValidity;

  constructor(client: KubeClient, lease: LeaseValidity) {
    super(client);
    this.#lease = lease;
  }

  protected override write<Answer extends Unstructured | Status>({ type, send }: Write<Answer>): Promise<Answer> {
    if (!this.#lease.isValid()) return Promise.reject(refusal(type));
    return send(() => {
      if (!this.#lease.isValid()) throw refusal(type);
    });
  }
}

function refusal(type: ResourceType): LeaseLost {
  return new LeaseLost(`A write of ${groupResourceOf(type)} was not sent`);
}
