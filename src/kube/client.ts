import type { JsonObject } from '../base/json.ts';
import type { KubeObject, Manifest, Unstructured } from '../base/object.ts';
import type { ObjectKey, ResourceType } from '../base/resource.ts';

/** Options of every call. The signal ends the request itself, not only the wait for it. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** @defaultValue the client's own, 30 s */
  readonly timeoutMs?: number;
  /**
   * Called right before the request leaves, and again before each repetition of it; the call rejects with what it throws. For what must
   * still hold then, however long the wait for a repetition or for credentials was.
   */
  readonly beforeSend?: () => void;
}

/** Options of calls that write. */
export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** Field manager of create, update and patch. */
  readonly fieldManager?: string;
  readonly subresource?: 'status' | 'scale' | 'finalize';
}

/** How to ask for a list (metav1.ListOptions). */
export interface ListQuery {
  /** Absent: all namespaces. Ignored for cluster-scoped resources. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continueToken?: string;
  /** `''` consistent, `'0'` any state, otherwise not older than. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact';
}

/** One page of a list. */
export interface ObjectPage {
  readonly items: readonly Unstructured[];
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continueToken: string;
  readonly remainingItemCount?: number;
}

/** How to ask for a watch. Bookmarks are always asked for. */
export interface WatchQuery {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  /** Streaming list (KEP-3157): initial events, then a bookmark that ends them. */
  readonly sendInitialEvents?: boolean;
}

/** One frame of a watch, as it came off the wire. ERROR frames carry a Status. */
export type WatchFrame =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: Unstructured }
  | { readonly type: 'ERROR'; readonly status: Status };

/** metav1.Status. */
export interface Status {
  readonly kind?: 'Status';
  readonly status?: 'Success' | 'Failure';
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

/** metav1.StatusDetails. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** metav1.StatusCause. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** A body to be patched with, and the media type that says how. */
export type Patch =
  | { readonly type: 'merge'; readonly body: JsonObject }
  | { readonly type: 'json'; readonly body: readonly JsonObject[] };

/** Preconditions and propagation of a delete. */
export interface DeleteOptions extends CallOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

/** Server-side apply: always forced, since a controller is the one owner of the fields it sends. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
}

/**
 * The API server as the rest of the project sees it: raw JSON in, raw JSON out, no field dropped. Decorators (write ledger,
 * lease guard, recorders of tests) wrap this interface.
 *
 * Every method rejects with {@link ApiError} for an answer that is not a success, with `TransportError` when there was no
 * answer, and with the signal's reason when it fired.
 */
export interface KubeClient {
  get(type: ResourceType, key: ObjectKey, options: CallOptions): Promise<Unstructured>;
  list(type: ResourceType, query: ListQuery, options: CallOptions): Promise<ObjectPage>;
  /** Resolves when the server has accepted the watch. The iteration ends with the stream; abort the signal to end it. */
  watch(type: ResourceType, query: WatchQuery, options: CallOptions): Promise<AsyncIterable<WatchFrame>>;
  create(type: ResourceType, object: Manifest, options: WriteOptions): Promise<Unstructured>;
  /** Replaces the whole object; `metadata.resourceVersion` is the precondition. */
  update(type: ResourceType, object: KubeObject | Manifest, options: WriteOptions): Promise<Unstructured>;
  patch(type: ResourceType, key: ObjectKey, patch: Patch, options: WriteOptions): Promise<Unstructured>;
  apply(type: ResourceType, object: Manifest, options: ApplyOptions): Promise<Unstructured>;
  /** Resolves with the object still there (finalizers) or with the server's Status. */
  delete(type: ResourceType, key: ObjectKey, options: DeleteOptions): Promise<Unstructured | Status>;
  /** For what is no resource: `/version`, `/readyz`, `/openapi/v3`. Resolves with the body's text. */
  raw(method: 'GET' | 'POST', path: string, body: JsonObject | undefined, options: CallOptions): Promise<string>;
}
