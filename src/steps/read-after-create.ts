import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { isNamespaceMissing, isNotFound } from '../kube/api-error-predicates.ts';
import type { ApplyOptions, CallOptions, DeleteOptions, KubeClient, Status, WriteOptions } from '../kube/client.ts';
import { NAMESPACES } from '../kube/well-known.ts';
import { ForwardingClient, type Write } from '../runtime/forwarding-client.ts';

/** Pauses before the five further tries, in milliseconds: 1.9 s together, which is what a lagging API server takes. */
const PAUSES_MS: readonly number[] = [50, 150, 300, 500, 900];

/** What this pass created is not to be seen yet. Code `HOMEOSTAT_NOT_YET_VISIBLE`; nothing failed, the pass is taken up again. */
export class NotYetVisible extends HomeostatError {
  constructor(what: string, cause: unknown) {
    super('HOMEOSTAT_NOT_YET_VISIBLE', `${what} was created and cannot be seen yet; it is looked for again`, { cause });
  }
}

/**
 * A client for one pass that knows what the pass created. One API server may answer a create, and another one, or its own admission
 * cache, know nothing of the object for a moment: live reads of it, and writes into a namespace of it, that answer NotFound are tried
 * five times more within 2 s. What the pass did not create is never waited for.
 */
export class ReadAfterCreateClient extends ForwardingClient {
  readonly #clock: Clock;
  readonly #created = new Set<string>();

  constructor(client: KubeClient, clock: Clock) {
    super(client);
    this.#clock = clock;
  }

  override get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured> {
    if (!this.#created.has(idOf(type, key))) return super.get(type, key, options);
    const what = `${type.kind} ${formatKey(key)}`;
    return this.#patiently(what, isNotFound, options, () => super.get(type, key, options));
  }

  override async create(type: ResourceType, object: Manifest, options: WriteOptions): Promise<Unstructured> {
    const made = await this.#into(object, options, () => super.create(type, object, options));
    if (options.dryRun !== true) this.#created.add(idOf(type, keyOf(object)));
    return made;
  }

  override apply(type: ResourceType, object: Manifest, options: ApplyOptions): Promise<Unstructured> {
    return this.#into(object, options, () => super.apply(type, object, options));
  }

  override delete(type: ResourceType, key: ObjectKey, options: DeleteOptions): Promise<Unstructured | Status> {
    this.#created.delete(idOf(type, key));
    return super.delete(type, key, options);
  }

  protected override write<Answer extends Unstructured | Status>({ send }: Write<Answer>): Promise<Answer> {
    return send();
  }

  /** Sends a write whose namespace may be one that this very pass created. */
  #into(object: Manifest, options: CallOptions, send: () => Promise<Unstructured>): Promise<Unstructured> {
    const { namespace } = object.metadata;
    if (namespace === undefined || !this.#created.has(idOf(NAMESPACES, { name: namespace }))) return send();
    return this.#patiently(`Namespace ${namespace}`, isNamespaceMissing, options, send);
  }

  async #patiently<Answer>(
    what: string,
    isLag: (error: unknown) => boolean,
    { signal }: CallOptions,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      try {
        return await send();
      } catch (error) {
        if (!isLag(error)) throw error;
        const pauseMs = PAUSES_MS[tries];
        if (pauseMs === undefined) throw new NotYetVisible(what, error);
        await sleep(this.#clock, pauseMs, signal);
      }
    }
  }
}

function idOf(type: ResourceType, key: ObjectKey): string {
  return `${groupResourceOf(type)}/${formatKey(key)}`;
}
