import type { JsonObject } from '../base/json.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';
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

/** Hears of the version that a successful write left behind. */
export type WriteListener = (type: ResourceType, resourceVersion: string) => void;

/** A client that tells of its successful writes. Dry runs and deletions that left no object behind have nothing to tell. */
export class LedgerClient implements KubeClient {
  readonly #client: KubeClient;
  readonly #wrote: WriteListener;

  constructor(client: KubeClient, wrote: WriteListener) {
    this.#client = client;
    this.#wrote = wrote;
  }

  get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured> {
    return this.#client.get(type, key, options);
  }

  list(type: ResourceType, query: ListQuery, options: CallOptions): Promise<ObjectPage> {
    return this.#client.list(type, query, options);
  }

  watch(type: ResourceType, query: WatchQuery, options: CallOptions): Promise<AsyncIterable<WatchFrame>> {
    return this.#client.watch(type, query, options);
  }

  async create(type: ResourceType, object: Manifest, options: WriteOptions): Promise<Unstructured> {
    return this.#record(type, options, await this.#client.create(type, object, options));
  }

  async update(type: ResourceType, object: KubeObject | Manifest, options: WriteOptions): Promise<Unstructured> {
    return this.#record(type, options, await this.#client.update(type, object, options));
  }

  async patch(type: ResourceType, key: ObjectKey, patch: Patch, options: WriteOptions): Promise<Unstructured> {
    return this.#record(type, options, await this.#client.patch(type, key, patch, options));
  }

  async apply(type: ResourceType, object: Manifest, options: ApplyOptions): Promise<Unstructured> {
    return this.#record(type, options, await this.#client.apply(type, object, options));
  }

  async delete(type: ResourceType, key: ObjectKey, options: DeleteOptions): Promise<Unstructured | Status> {
    const answer = await this.#client.delete(type, key, options);
    if ('metadata' in answer) this.#wrote(type, answer.metadata.resourceVersion);
    return answer;
  }

  raw(method: 'GET' | 'POST', path: string, body: JsonObject | undefined, options: CallOptions): Promise<string> {
    return this.#client.raw(method, path, body, options);
  }

  #record(type: ResourceType, options: WriteOptions, answer: Unstructured): Unstructured {
    if (options.dryRun !== true) this.#wrote(type, answer.metadata.resourceVersion);
    return answer;
  }
}
