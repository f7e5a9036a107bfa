import type { Unstructured } from '../base/object.ts';

/** What an `added` may be part of. */
export interface AddedInfo {
  /** The object was there before the handler was: part of its first list, not news. */
  readonly initial: boolean;
  /** As for {@link UpdatedInfo}. */
  readonly merged: boolean;
}

/** What an `updated` may be. */
export interface UpdatedInfo {
  /** The uid changed: the old object was deleted and another one made under its name while nobody looked. */
  readonly replaced: boolean;
  /** Nothing changed; the cache is gone through from time to time. `before` and `after` are the same object. */
  readonly resync: boolean;
  /** The object may have had states since `before` that nobody was told of: they came too fast, or a list followed a lost watch. */
  readonly merged: boolean;
}

/** What a `deleted` may be. */
export interface DeletedInfo {
  /** The deletion itself was missed and found by a list: `last` may be older than the object's last state. */
  readonly finalStateUnknown: boolean;
}

/**
 * Hears of every change, in order, after the store has it. Handlers run within the turn that changed the store: they must be
 * quick and synchronous, as a handler that only adds keys to a queue is. One that throws is logged, and the others and the next
 * change reach their handlers all the same.
 */
export interface InformerHandler {
  added?(object: Unstructured, info: AddedInfo): void;
  updated?(before: Unstructured, after: Unstructured, info: UpdatedInfo): void;
  deleted?(last: Unstructured, info: DeletedInfo): void;
}

/** A handler's place at an informer. */
export interface HandlerRegistration {
  /** True once the handler itself has heard of every object that was there at its start. Workers wait for this, not for the store. */
  hasSynced(): boolean;
  /** No call reaches the handler after this. Removing twice does nothing. */
  remove(): void;
}
