import { sleep } from '../base/abort.ts';
import type { Unstructured } from '../base/object.ts';
import { apiVersionOf, formatKey, keyOf } from '../base/resource.ts';
import type { Cluster } from './cluster.ts';
import { type ApiResponse, jsonResponse, objectResponse } from './exchange.ts';
import { decodeContinue, encodeContinue, expiredContinue, type ListOptions, readListOptions } from './list-options.ts';
import { type Presentation, present, presentList, type PrintContext } from './printing.ts';
import type { RequestContext } from './request-context.ts';
import { type ObjectTest, parseFieldSelector, parseLabelSelector } from './selectors.ts';
import type { ServedResource } from './served-resource.ts';
import { expired, notFound, StatusError } from './status-error.ts';
import { WatchStream } from './watch-stream.ts';

const BOOKMARK_MS = 60_000;
const SHORTEST_WATCH_SECONDS = 1800;
const FUTURE_WAIT_MS = 3000;

/** Answers get, list and watch. */
export class ReadHandler {
  readonly #cluster: Cluster;
  readonly #streams = new Map<WatchStream, string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Watches that are open now, with their storage tables: for fault knobs. */
  openWatches(table: string): readonly WatchStream[] {
    return [...this.#streams].filter(([, own]) => table === '*' || own === table).map(([stream]) => stream);
  }

  /** Ends every watch. */
  close(): void {
    for (const stream of this.#streams.keys()) stream.end();
  }

  get(resource: ServedResource, context: RequestContext, as: Presentation): ApiResponse {
    const { namespace, name } = context.info;
    const key = formatKey(resource.namespaced ? { namespace, name } : { name });
    const stored = this.#cluster.storage.get(resource.storage, key);
    if (stored === undefined) throw notFound(resource, name);
    return objectResponse(200, present(resource.fromStorage(stored), as, this.#print(resource, context)));
  }

  async list(resource: ServedResource, context: RequestContext, as: Presentation): Promise<ApiResponse> {
    const options = readListOptions(context.query, false);
    const token = options.continueToken === '' ? undefined : decodeContinue(options.continueToken);
    if (token === undefined) await this.#waitFor(options, context.signal);
    const { storage, watches } = this.#cluster;
    const exact =
      token !== undefined && token.revision > 0
        ? token.revision
        : options.match === 'Exact'
          ? options.revision
          : undefined;
    if (exact !== undefined && exact < watches.oldest(resource.storage)) {
      throw token === undefined
        ? expired('The resourceVersion for the provided list is too old.')
        : expiredContinue(token.after);
    }
    const current = storage.list(resource.storage);
    const state = exact === undefined ? current : watches.stateAt(resource.storage, current, exact);
    const matches = this.#selection(resource, context, options);
    const all = state.filter(matches).filter((object) => token === undefined || keyText(object) > token.after);
    const page = options.limit > 0 ? all.slice(0, options.limit) : all;
    const revision = exact ?? storage.revision;
    const metadata = { resourceVersion: String(revision), ...rest(all, page, revision, options) };
    const items = page.map((object) => resource.fromStorage(object));
    return jsonResponse(200, presentList(items, metadata, as, this.#print(resource, context)));
  }

  watch(resource: ServedResource, context: RequestContext, as: Presentation): ApiResponse {
    const options = readListOptions(context.query, true);
    const { clock, random, storage, watches } = this.#cluster;
    const matches = this.#selection(resource, context, options);
    const whole = options.revision === undefined || options.revision === 0 || options.sendInitialEvents;
    const start = whole ? storage.revision : (options.revision ?? 0);
    const seconds = options.timeoutSeconds ?? SHORTEST_WATCH_SECONDS * (1 + random.next());
    const stream = new WatchStream(
      {
        clock,
        matches,
        encode: (object) => present(resource.fromStorage(object), as, this.#print(resource, context)),
        emptyObject: (resourceVersion) => emptyFrame(resource, as, resourceVersion),
        ...(options.bookmarks ? { bookmarkEveryMs: BOOKMARK_MS } : {}),
        timeoutMs: seconds * 1000,
        delivered: () => watches.delivered,
        signal: context.signal,
      },
      start,
    );
    this.#streams.set(stream, resource.storage);
    stream.onEnd(() => this.#streams.delete(stream));
    if (whole) this.#sendState(stream, storage.list(resource.storage).filter(matches), options, start);
    else if (start < watches.oldest(resource.storage)) {
      stream.fail(expired(`too old resource version: ${start} (${watches.oldest(resource.storage)})`).status);
    }
    const unsubscribe = watches.subscribe(resource.storage, start, stream);
    stream.onEnd(unsubscribe);
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: stream,
    };
  }

  #sendState(stream: WatchStream, objects: readonly Unstructured[], options: ListOptions, revision: number): void {
    // Without a resourceVersion a plain watch starts with the state too, only without an end mark.
    for (const object of objects) stream.initial(object);
    if (options.sendInitialEvents && options.bookmarks) stream.initialEnd(revision);
  }

  #selection(resource: ServedResource, { info }: RequestContext, options: ListOptions): ObjectTest {
    const labels = parseLabelSelector(options.labelSelector);
    const fields = parseFieldSelector(options.fieldSelector, resource);
    const { namespace, name } = info;
    return (object) =>
      (namespace === '' || object.metadata.namespace === namespace) &&
      (name === '' || object.metadata.name === name) &&
      labels(object.metadata.labels ?? {}) &&
      fields(object);
  }

  /** A list of the future waits a little for it. */
  async #waitFor({ revision = 0 }: ListOptions, signal: AbortSignal): Promise<void> {
    const { clock, storage } = this.#cluster;
    if (revision <= storage.revision) return;
    await sleep(clock, FUTURE_WAIT_MS, signal);
    if (revision <= storage.revision) return;
    const text = `Too large resource version: ${revision}, current: ${storage.revision}`;
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    throw new StatusError(504, 'Timeout', text, { details: { causes, retryAfterSeconds: 1 } });
  }

  #print(resource: ServedResource, { query }: RequestContext): PrintContext {
    return { resource, includeObject: query.get('includeObject') ?? 'Metadata', now: this.#cluster.clock.now() };
  }
}

function rest(
  all: readonly Unstructured[],
  page: readonly Unstructured[],
  revision: number,
  { labelSelector, fieldSelector }: ListOptions,
): { readonly continue?: string; readonly remainingItemCount?: number } {
  const last = page.at(-1);
  if (all.length === page.length || last === undefined) return {};
  const selected = labelSelector !== '' || fieldSelector !== '';
  const token = encodeContinue({ revision, after: keyText(last) });
  return { continue: token, ...(selected ? {} : { remainingItemCount: all.length - page.length }) };
}

function keyText(object: Unstructured): string {
  return formatKey(keyOf(object));
}

function emptyFrame(resource: ServedResource, as: Presentation, resourceVersion: string): object {
  if (as !== 'table') return { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  const metadata = { resourceVersion };
  const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  const cells = resource.columns.map(() => null);
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', columnDefinitions: null, rows: [{ cells, object }] };
}
