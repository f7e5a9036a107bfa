import type { Unstructured } from '../base/object.ts';
import type { KubeClient, Status } from '../kube/client.ts';
import { ForwardingClient, type Write } from './forwarding-client.ts';

/** Hears that a write goes out, and gives back who is to hear of its end: with the version it left behind, or without one. */
export type WriteListener = (write: Omit<Write<unknown>, 'send'>) => (resourceVersion?: string) => void;

/** A client that tells of its writes. Dry runs are none; deletions that left no object behind end without a version. */
export class LedgerClient extends ForwardingClient {
  readonly #sending: WriteListener;

  constructor(client: KubeClient, sending: WriteListener) {
    super(client);
    this.#sending = sending;
  }

  protected override async write<Answer extends Unstructured | Status>(write: Write<Answer>): Promise<Answer> {
    if (write.dryRun) return write.send();
    const ended = this.#sending(write);
    let resourceVersion: string | undefined;
    try {
      const answer = await write.send();
      if ('metadata' in answer) resourceVersion = answer.metadata.resourceVersion;
      return answer;
    } finally {
      ended(resourceVersion);
    }
  }
}
