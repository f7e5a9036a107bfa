import { Snapshot } from '../../src/app/snapshot.ts';
import type { Unstructured } from '../../src/base/object.ts';
import type { Outcome } from '../../src/base/outcome.ts';
import { keyOf } from '../../src/base/resource.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import type { Kind } from '../../src/sdk/kind.ts';
import { StatusWriter } from '../../src/status/status-writer.ts';
import { createReconciler } from '../../src/steps/reconciler.ts';
import { FakeClock } from './fake-clock.ts';
import { recordingEvents, recordingLogger, recordingMetrics } from './silent-ports.ts';

/**
 * A controller that has just started on some API server, and whose cache of its own kind stands still: each pass sees the object as
 * it was then, and everything else as it is.
 */
export class LateController {
  readonly events = recordingEvents();
  readonly #kind: Kind;
  readonly #client: KubeClient;
  readonly #kinds: readonly Kind[];
  readonly #late: Unstructured;
  readonly #reconcile: ReturnType<typeof createReconciler>;
  #caches: Snapshot;

  constructor(kind: Kind, late: Unstructured, world: { readonly client: KubeClient; readonly kinds: readonly Kind[] }) {
    const { client, kinds } = world;
    const clock = new FakeClock();
    this.#kind = kind;
    this.#client = client;
    this.#kinds = kinds;
    this.#late = late;
    this.#caches = Snapshot.empty(kinds);
    this.#reconcile = createReconciler(kind, {
      client: () => client,
      lookup: {
        get: (type, key) => this.#caches.get(type, key),
        byIndex: (type, index, value) => this.#caches.byIndex(type, index, value),
      },
      clock,
      events: this.events,
      metrics: recordingMetrics(),
      statusWriter: new StatusWriter(clock),
      operatorNamespace: 'homeostat-system',
    });
  }

  async pass(): Promise<Outcome> {
    const { signal } = new AbortController();
    this.#caches = await Snapshot.read(this.#client, this.#kinds, signal);
    this.#caches.put(this.#kind.type, this.#late);
    const [key, log] = [keyOf(this.#late), recordingLogger()];
    return this.#reconcile({ key, signal, causes: ['test'], failures: 0, log, reconcileId: 'test' });
  }
}
