import type { KubeClient } from '../../src/kube/client.ts';
import type { Store } from '../../src/runtime/store.ts';
import { widget, WIDGETS } from '../support/widgets.ts';

/**
 * What a reconcile does that makes a child under a generated name where its cache shows none. Right with a cache that has seen its
 * own writes; run by a worker that does not wait for that, it is the counter-example.
 */
export async function createUnlessCached(client: KubeClient, store: Store): Promise<void> {
  if (store.list().length > 0) return;
  await client.create(WIDGETS, widget('child', '0'), { signal: new AbortController().signal });
}
