import type { KubeObject, Manifest, Unstructured } from '../../src/base/object.ts';
import type { ObjectKey, ResourceType } from '../../src/base/resource.ts';
import type { CallOptions, WriteOptions } from '../../src/kube/client.ts';
import { readLease, type LeaseRecord } from '../../src/runtime/lease-record.ts';
import { apiError, ScriptedClient } from './scripted-client.ts';

/** One Lease with optimistic locking, shared by all candidates; every write that was carried out is kept. */
export class LeaseServer {
  readonly writes: LeaseRecord[] = [];
  #lease: Unstructured | undefined;
  #version = 0;

  /** The stored record; `undefined` while there is no Lease. */
  get record(): LeaseRecord | undefined {
    return this.#lease === undefined ? undefined : readLease(this.#lease);
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#lease?.metadata.labels;
  }

  /** Puts a record there as somebody else would. */
  set(record: LeaseRecord, labels: Readonly<Record<string, string>> = {}): void {
    this.#store({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'ns', name: 'lease', uid: 'lease', resourceVersion: '', labels },
      spec: {
        holderIdentity: record.holder,
        leaseDurationSeconds: record.durationSeconds,
        acquireTime: record.acquireTime,
        renewTime: record.renewTime,
        leaseTransitions: record.transitions,
      },
    });
  }

  remove(): void {
    this.#lease = undefined;
  }

  read(): Unstructured {
    if (this.#lease === undefined) throw apiError(404, 'NotFound', { details: { name: 'lease' } });
    return this.#lease;
  }

  create(object: Unstructured): Unstructured {
    if (this.#lease !== undefined) throw apiError(409, 'AlreadyExists');
    return this.#written(object);
  }

  update(object: Unstructured): Unstructured {
    if (object.metadata.resourceVersion !== this.read().metadata.resourceVersion) throw apiError(409, 'Conflict');
    return this.#written(object);
  }

  #written(object: Unstructured): Unstructured {
    const stored = this.#store(object);
    this.writes.push(readLease(stored));
    return stored;
  }

  #store(object: Unstructured): Unstructured {
    this.#lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    return this.#lease;
  }
}

/** How one candidate's connection behaves. */
export type LeaseFault = 'none' | 'unreachable' | 'hangs' | 'loses answers';

/** One candidate's client of a {@link LeaseServer}. */
export class LeaseClient extends ScriptedClient {
  fault: LeaseFault = 'none';
  readonly calls: string[] = [];
  /** Each answer waits for this, whatever the caller's signal says. */
  gate: Promise<unknown> = Promise.resolve();
  readonly #server: LeaseServer;

  constructor(server: LeaseServer) {
    super();
    this.#server = server;
  }

  override get(_type?: ResourceType, _key?: ObjectKey, options?: CallOptions): Promise<Unstructured> {
    return this.#call('get', options?.signal, () => this.#server.read());
  }

  override create(_type?: ResourceType, object?: Manifest, options?: WriteOptions): Promise<Unstructured> {
    return this.#call('create', options?.signal, () => this.#server.create(object as Unstructured)); // stored as sent
  }

  override update(_type?: ResourceType, object?: KubeObject | Manifest, options?: WriteOptions): Promise<Unstructured> {
    return this.#call('update', options?.signal, () => this.#server.update(object as Unstructured)); // stored as sent
  }

  async #call(verb: string, signal: AbortSignal | undefined, carryOut: () => Unstructured): Promise<Unstructured> {
    this.calls.push(verb);
    signal?.throwIfAborted();
    await this.gate;
    switch (this.fault) {
      case 'none':
        return carryOut();
      case 'unreachable':
        throw apiError(500, 'InternalError');
      case 'loses answers':
        carryOut();
        throw apiError(504, 'Timeout');
      case 'hangs':
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      default:
        throw new Error('unknown fault');
    }
  }
}
