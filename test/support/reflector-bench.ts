import type { ApiError } from '../../src/kube/api-error.ts';
import { keepManagedFieldsOf } from '../../src/runtime/managed-fields.ts';
import { Reflector, type ReflectorOptions } from '../../src/runtime/reflector.ts';
import { Store } from '../../src/runtime/store.ts';
import { FakeClock } from './fake-clock.ts';
import { apiError, type ScriptedClient, ScriptedStream } from './scripted-client.ts';
import { seededRandom } from './seeded-random.ts';
import { recordingLogger, recordingMetrics } from './silent-ports.ts';
import { bookmark, WIDGETS } from './widgets.ts';

/** A server of before streaming lists: it refuses them, so that the reflector lists in pages. */
export const noStreaming: ApiError = apiError(422, 'Invalid', {
  message: 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
});

/** A running reflector whose deliveries are written down as short words. */
export interface ReflectorBench {
  readonly client: ScriptedClient;
  readonly clock: FakeClock;
  readonly reflector: Reflector;
  readonly delivered: string[];
  readonly log: ReturnType<typeof recordingLogger>;
  readonly metrics: ReturnType<typeof recordingMetrics>;
  stop(): Promise<void>;
}

/** Starts a reflector at a scripted server. */
export function runReflector(client: ScriptedClient, options: Partial<ReflectorOptions> = {}): ReflectorBench {
  const clock = new FakeClock();
  const log = recordingLogger();
  const metrics = recordingMetrics();
  const delivered: string[] = [];
  const store = new Store();
  const reflector = new Reflector({
    client,
    type: WIDGETS,
    scope: {},
    transform: keepManagedFieldsOf([]),
    clock,
    random: seededRandom(),
    log,
    metrics,
    sink: {
      newContents: () => store.newContents(),
      replaced: (contents, version) => {
        const names = [...contents.objects()].map((o) => `${o.metadata.name}@${o.metadata.resourceVersion}`);
        delivered.push(`replaced [${names.join(' ')}] at ${version}`);
      },
      upserted: (object) => void delivered.push(`${object.metadata.name}@${object.metadata.resourceVersion}`),
      deleted: (object) => void delivered.push(`-${object.metadata.name}@${object.metadata.resourceVersion}`),
      bookmarked: (version) => void delivered.push(`bookmark ${version}`),
      whenRoom: () => Promise.resolve(),
    },
    ...options,
  });
  const abort = new AbortController();
  const running = reflector.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  return { client, clock, reflector, delivered, log, metrics, stop };
}

/** A stream that has delivered an empty streaming list at that version. */
export function syncedStream(version: string): ScriptedStream {
  const stream = new ScriptedStream();
  stream.send(bookmark(version, 'true'));
  return stream;
}
