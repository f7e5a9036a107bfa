import type { Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';

/** Ends the account of one write: with the version its answer carries, or without one when it failed or left no object. */
export type WriteEnded = (resourceVersion?: string) => void;

interface Held {
  readonly resourceVersion: string;
  readonly news: () => void;
}

interface Account {
  /** Writes without an answer yet. */
  inFlight: number;
  /** The version of the last answer, as long as the watch has not brought it. */
  awaited: string | undefined;
  /** What the watch brought while nobody could say whose version it is. */
  readonly held: Held[];
}

/**
 * Tells the echoes of a controller's own writes from news. A write is answered with the object as it was stored, so the watch event
 * that carries the same version says nothing that the pass did not know, and a reconcile for its sake would find nothing to do. The
 * watch may be faster than the answer: what arrives while a write of the object is under way is held until the answer tells.
 *
 * An event whose version is not the one of an answer is news, whoever wrote it. That includes a version of ours that was merged with a
 * later one of somebody else's.
 */
export class OwnEchoes {
  readonly #watched: ReadonlySet<string>;
  readonly #accounts = new Map<string, Account>();

  /** Writes of other resources than these are not accounted for: no event would ever settle them. */
  constructor(watched: readonly ResourceType[]) {
    this.#watched = new Set(watched.map(groupResourceOf));
  }

  /** A write of this object goes out. The function returned must be called when it has ended, however it did. */
  sending(type: ResourceType, key: ObjectKey): WriteEnded {
    const resource = groupResourceOf(type);
    if (!this.#watched.has(resource)) return () => undefined;
    const id = idOf(resource, key);
    const account = this.#accounts.get(id) ?? { inFlight: 0, awaited: undefined, held: [] };
    this.#accounts.set(id, account);
    account.inFlight += 1;
    return (resourceVersion) => this.#ended(id, account, resourceVersion);
  }

  /** Calls `news` unless this version of the object is an own write's: at once, or when the answer under way has told. */
  tell(type: ResourceType, object: Unstructured, news: () => void): void {
    const id = idOf(groupResourceOf(type), keyOf(object));
    const account = this.#accounts.get(id);
    if (account === undefined) {
      news();
      return;
    }
    const { resourceVersion } = object.metadata;
    if (account.awaited === resourceVersion) account.awaited = undefined;
    else if (account.inFlight > 0) account.held.push({ resourceVersion, news });
    else {
      // A newer version has swallowed the one that was awaited; an older one leaves it to come.
      if ((compareResourceVersions(resourceVersion, account.awaited ?? '') ?? 1) > 0) account.awaited = undefined;
      news();
    }
    this.#settle(id, account);
  }

  /** The object is gone: nothing is awaited of it any more. */
  gone(type: ResourceType, object: Unstructured): void {
    const id = idOf(groupResourceOf(type), keyOf(object));
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    account.awaited = undefined;
    this.#settle(id, account);
  }

  #ended(id: string, account: Account, resourceVersion: string | undefined): void {
    account.inFlight -= 1;
    const echo = account.held.findIndex((held) => held.resourceVersion === resourceVersion);
    if (echo >= 0) account.held.splice(echo, 1);
    else if (resourceVersion !== undefined) account.awaited = resourceVersion;
    if (account.inFlight === 0) for (const { news } of account.held.splice(0)) news();
    this.#settle(id, account);
  }

  #settle(id: string, { inFlight, awaited }: Account): void {
    if (inFlight === 0 && awaited === undefined) this.#accounts.delete(id);
  }
}

function idOf(resource: string, key: ObjectKey): string {
  return `${resource}/${formatKey(key)}`;
}
