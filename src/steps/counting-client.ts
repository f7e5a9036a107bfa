import type { Unstructured } from '../base/object.ts';
import type { Status } from '../kube/client.ts';
import { ForwardingClient, type Write } from '../runtime/forwarding-client.ts';

/** A client for one pass that counts what it is asked to write. A request counts when it is sent, whatever comes of it. */
export class CountingClient extends ForwardingClient {
  #writes = 0;

  /** Writes so far; dry runs are none. */
  get writes(): number {
    return this.#writes;
  }

  protected override write<Answer extends Unstructured | Status>({ dryRun, send }: Write<Answer>): Promise<Answer> {
    if (!dryRun) this.#writes += 1;
    return send();
  }
}
