import type { JsonObject } from '../base/json.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import { keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  KubeClient,
  ListQuery,
  ObjectPage,
  Patch,
  Status,
  WatchFrame,
  WatchQuery,
  WriteOptions,
} from '../kube/client.ts';

/** What all writing calls of a client have in common. */
export interface Write<Answer> {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** Set when a part of the object is written, as its status. */
  readonly subresource: string | undefined;
  readonly dryRun: boolean;
  /** Sends it; what `check` throws before a repetition ends the call. */
  readonly send: (check?: () => void) => Promise<Answer>;
}

/** A client in front of another one. Reads pass; every write goes through one method, so that none can be forgotten. */
export abstract class ForwardingClient implements KubeClient {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Sends the write, or does not. Rejects with what `send` rejects with, or with an error of its own. */
  protected abstract write<Answer extends Unstructured | Status>(write: Write<Answer>): Promise<Answer>;

  get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured> {
    return this.#client.get(type, key, options);
  }

  list(type: ResourceType, query: ListQuery, options: CallOptions): Promise<ObjectPage> {
    return this.#client.list(type, query, options);
  }

  watch(type: ResourceType, query: WatchQuery, options: CallOptions): Promise<AsyncIterable<WatchFrame>> {
    return this.#client.watch(type, query, options);
  }

  create(type: ResourceType, object: Manifest, options: WriteOptions): Promise<Unstructured> {
    return this.#write(type, keyOf(object), options, (more) => this.#client.create(type, object, more));
  }

  update(type: ResourceType, object: KubeObject | Manifest, options: WriteOptions): Promise<Unstructured> {
    return this.#write(type, keyOf(object), options, (more) => this.#client.update(type, object, more));
  }

  patch(type: ResourceType, key: ObjectKey, patch: Patch, options: WriteOptions): Promise<Unstructured> {
    return this.#write(type, key, options, (more) => this.#client.patch(type, key, patch, more));
  }

  apply(type: ResourceType, object: Manifest, options: ApplyOptions): Promise<Unstructured> {
    return this.#write(type, keyOf(object), options, (more) => this.#client.apply(type, object, more));
  }

  delete(type: ResourceType, key: ObjectKey, options: DeleteOptions): Promise<Unstructured | Status> {
    return this.write({
      type,
      key,
      subresource: undefined,
      dryRun: false,
      send: (check) => this.#client.delete(type, key, withCheck(options, check)),
    });
  }

  raw(method: 'GET' | 'POST', path: string, body: JsonObject | undefined, options: CallOptions): Promise<string> {
    return this.#client.raw(method, path, body, options);
  }

  #write<Options extends WriteOptions>(
    type: ResourceType,
    key: ObjectKey,
    options: Options,
    send: (options: Options) => Promise<Unstructured>,
  ): Promise<Unstructured> {
    const { dryRun = false, subresource } = options;
    return this.write({ type, key, subresource, dryRun, send: (check) => send(withCheck(options, check)) });
  }
}

function withCheck<Options extends CallOptions>(options: Options, check: (() => void) | undefined): Options {
  if (check === undefined) return options;
  const { beforeSend } = options;
  return {
    ...options,
    beforeSend: () => {
      beforeSend?.();
      check();
    },
  };
}
