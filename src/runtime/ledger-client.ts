import type { Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { KubeClient, Status } from '../kube/client.ts';
import { ForwardingClient, type Write } from './forwarding-client.ts';

/** Hears of the version that a successful write left behind. */
export type WriteListener = (type: ResourceType, resourceVersion: string) => void;

/** A client that tells of its successful writes. Dry runs and deletions that left no object behind have nothing to tell. */
export class LedgerClient extends ForwardingClient {
  readonly #wrote: WriteListener;

  constructor(client: KubeClient, wrote: WriteListener) {
    super(client);
    this.#wrote = wrote;
  }

  protected override async write<Answer extends Unstructured | Status>(write: Write<Answer>): Promise<Answer> {
    const answer = await write.send();
    if (!write.dryRun && 'metadata' in answer) this.#wrote(write.type, answer.metadata.resourceVersion);
    return answer;
  }
}
