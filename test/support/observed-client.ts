import type { Unstructured } from '../../src/base/object.ts';
import type { ResourceType } from '../../src/base/resource.ts';
import type {
  CallOptions,
  KubeClient,
  ListQuery,
  ObjectPage,
  Status,
  WatchFrame,
  WatchQuery,
} from '../../src/kube/client.ts';
import { ForwardingClient, type Write } from '../../src/runtime/forwarding-client.ts';

/** A client that counts its lists and watches, and the watches that are open at once. */
export class ObservedClient extends ForwardingClient {
  lists = 0;
  watches = 0;
  openWatches = 0;
  mostOpenWatches = 0;
  readonly #observed: KubeClient;

  constructor(client: KubeClient) {
    super(client);
    this.#observed = client;
  }

  override list(type: ResourceType, query: ListQuery, options: CallOptions): Promise<ObjectPage> {
    this.lists += 1;
    return this.#observed.list(type, query, options);
  }

  override async watch(
    type: ResourceType,
    query: WatchQuery,
    options: CallOptions,
  ): Promise<AsyncIterable<WatchFrame>> {
    this.watches += 1;
    const frames = await this.#observed.watch(type, query, options);
    this.openWatches += 1;
    this.mostOpenWatches = Math.max(this.mostOpenWatches, this.openWatches);
    let open = true;
    const closed = (): void => {
      if (open) this.openWatches -= 1;
      open = false;
    };
    options.signal.addEventListener('abort', closed, { once: true });
    return counted(frames, closed);
  }

  protected override write<Answer extends Unstructured | Status>({ send }: Write<Answer>): Promise<Answer> {
    return send();
  }
}

async function* counted(frames: AsyncIterable<WatchFrame>, closed: () => void): AsyncGenerator<WatchFrame> {
  try {
    yield* frames;
  } finally {
    closed();
  }
}
