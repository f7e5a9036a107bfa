import type { Clock } from '../base/clock.ts';
import { formatKey, keyOf, type ResourceType } from '../base/resource.ts';
import type { Unstructured } from '../base/object.ts';
import type { StoreContents } from './store-contents.ts';
import { frameError } from './watch-failure.ts';
import type { WatchStream } from './watch-stream.ts';

/** How the first phase of a streaming list ended. */
export type InitialEvents =
  | { readonly type: 'complete'; readonly resourceVersion: string }
  /** The stream ended before the bookmark that ends the phase. */
  | { readonly type: 'closed' }
  /** The bookmark did not come in time. */
  | { readonly type: 'overdue' };

/** What reading the initial events needs. */
export interface InitialEventsOptions {
  readonly type: ResourceType;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Checks and shrinks an object; `undefined` leaves it out. */
  readonly admit: (object: Unstructured) => Unstructured | undefined;
}

const END_ANNOTATION = 'k8s.io/initial-events-end';

/**
 * Reads a streaming list (KEP-3157) into `contents` up to the bookmark that ends it, applying what changes meanwhile. The
 * stream stays open and goes on as the watch. Bounded, unlike client-go's: a proxy or an old server may never send that
 * bookmark (kubernetes/kubernetes#140890).
 *
 * @throws ApiError for an ERROR frame, and what the stream throws.
 */
export async function readInitialEvents(
  stream: WatchStream,
  contents: StoreContents,
  options: InitialEventsOptions,
): Promise<InitialEvents> {
  let overdue = false;
  const timer = options.clock.setTimer(options.timeoutMs, () => {
    overdue = true;
    stream.close();
  });
  try {
    for (;;) {
      const frame = await stream.next();
      if (frame === undefined || overdue) return { type: overdue ? 'overdue' : 'closed' };
      if (frame.type === 'ERROR') throw frameError(options.type, frame.status);
      if (frame.type === 'BOOKMARK') {
        if (endsInitialEvents(frame.object)) {
          return { type: 'complete', resourceVersion: frame.object.metadata.resourceVersion };
        }
        continue;
      }
      const object = options.admit(frame.object);
      if (object === undefined) continue;
      if (frame.type === 'DELETED') contents.remove(formatKey(keyOf(object)));
      else contents.put(object);
    }
  } catch (error) {
    if (overdue) return { type: 'overdue' };
    throw error;
  } finally {
    timer.cancel();
  }
}

/** Only the literal "true" ends the phase; servers send plain bookmarks before it. */
function endsInitialEvents(bookmark: Unstructured): boolean {
  return bookmark.metadata.annotations?.[END_ANNOTATION] === 'true';
}
