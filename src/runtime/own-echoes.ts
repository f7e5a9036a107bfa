import type { Unstructured } from '../base/object.ts';
import { formatKey, groupResourceOf, keyOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';

/** Ends the account of one write: with the version its answer carries, or without one when it failed or left no object. */
export type WriteEnded = (resourceVersion?: string) => void;

/** Hears of a version: with the key whose pass wrote it and so knows it, or without one when it is news to all. */
export type Told = (writer?: ObjectKey) => void;

/** A version of an object that a watch or a list brought. */
export interface Arrival {
  readonly object: Unstructured;
  /** States before it were not told: what somebody else had written may be in it, below what we wrote last. */
  readonly merged: boolean;
}

/** Answers of one object that are awaited at most: a watch that stays behind for long must not make them a heap. */
const MOST_AWAITED = 16;

interface Held {
  readonly resourceVersion: string;
  readonly merged: boolean;
  readonly told: Told;
}

interface Awaited {
  readonly resourceVersion: string;
  readonly writer: ObjectKey;
}

interface Account {
  /** Writes without an answer yet. */
  inFlight: number;
  /** Versions of answers, oldest first, as long as the watch has brought neither them nor a later one. */
  awaited: readonly Awaited[];
  /** The object is gone: what answers say of it is past. */
  isGone: boolean;
  /** What the watch brought while nobody could say whose version it is. */
  readonly held: Held[];
}

/**
 * Tells the echoes of a controller's own writes from news. A write is answered with the object as it was stored, so the watch event
 * that carries the same version says nothing that the pass did not know, and a reconcile for its sake would find nothing to do. The
 * watch may be faster than the answer: what arrives while a write of the object is under way is held until the answer tells.
 *
 * An event whose version is not the one of an answer is news, whoever wrote it. So is a version of ours that was merged with somebody
 * else's, be it a later or an earlier one: an apply builds on whatever is stored, not on what the pass had read. And an echo is one to
 * the pass that wrote it only: to another object of the kind that looks at the same child it is news.
 */
export class OwnEchoes {
  readonly #watched: ReadonlySet<string>;
  readonly #onThrow: (error: unknown) => void;
  readonly #accounts = new Map<string, Account>();

  /**
   * Writes of other resources than `watched` are not accounted for: no event would ever settle them. `onThrow` hears what a {@link Told}
   * throws that was held: the write that let it go must not fail for it.
   */
  constructor(watched: readonly ResourceType[], onThrow: (error: unknown) => void) {
    this.#watched = new Set(watched.map(groupResourceOf));
    this.#onThrow = onThrow;
  }

  /**
   * A write of this object goes out. The function returned must be called when it has ended, however it did.
   *
   * @param writer key of the reconciled object whose pass writes
   */
  sending(type: ResourceType, key: ObjectKey, writer: ObjectKey): WriteEnded {
    const resource = groupResourceOf(type);
    if (!this.#watched.has(resource)) return () => undefined;
    const id = idOf(resource, key);
    const account = this.#accounts.get(id) ?? { inFlight: 0, awaited: [], isGone: false, held: [] };
    this.#accounts.set(id, account);
    account.inFlight += 1;
    return (resourceVersion) => {
      this.#ended(account, resourceVersion === undefined ? undefined : { resourceVersion, writer });
      this.#settle(id, account);
    };
  }

  /** Calls `told` once: at once, or when the answer under way has told whose version it is. */
  tell(type: ResourceType, { object, merged }: Arrival, told: Told): void {
    const id = idOf(groupResourceOf(type), keyOf(object));
    const account = this.#accounts.get(id);
    if (account === undefined) {
      told();
      return;
    }
    const { resourceVersion } = object.metadata;
    const echo = account.awaited.find((awaited) => awaited.resourceVersion === resourceVersion);
    if (echo === undefined && account.inFlight > 0) account.held.push({ resourceVersion, merged, told });
    else {
      // A newer version has swallowed those that were awaited; an older one leaves them to come.
      account.awaited = account.awaited.filter(
        (awaited) => awaited !== echo && isLater(awaited.resourceVersion, resourceVersion),
      );
      told(merged ? undefined : echo?.writer);
    }
    this.#settle(id, account);
  }

  /** The object is gone: nothing is awaited of it any more. */
  gone(type: ResourceType, object: Unstructured): void {
    const id = idOf(groupResourceOf(type), keyOf(object));
    const account = this.#accounts.get(id);
    if (account === undefined) return;
    account.awaited = [];
    account.isGone = true;
    this.#settle(id, account);
  }

  #ended(account: Account, answer: Awaited | undefined): void {
    account.inFlight -= 1;
    const index = account.held.findIndex((held) => held.resourceVersion === answer?.resourceVersion);
    const [echo] = index < 0 ? [] : account.held.splice(index, 1);
    if (echo !== undefined) this.#release(echo, echo.merged ? undefined : answer?.writer);
    else if (answer !== undefined && !account.isGone)
      account.awaited = [...account.awaited, answer].slice(-MOST_AWAITED);
    if (account.inFlight === 0) for (const held of account.held.splice(0)) this.#release(held);
  }

  #release({ told }: Held, writer?: ObjectKey): void {
    try {
      told(writer);
    } catch (error) {
      this.#onThrow(error);
    }
  }

  #settle(id: string, { inFlight, awaited }: Account): void {
    if (inFlight === 0 && awaited.length === 0) this.#accounts.delete(id);
  }
}

/** Versions that cannot be compared are not awaited any more: better one pass too many than an account for ever. */
function isLater(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? 0) > 0;
}

function idOf(resource: string, key: ObjectKey): string {
  return `${resource}/${formatKey(key)}`;
}
