// Lists 20,000 objects of 20 KiB each with a reflector whose transform keeps the metadata, and prints what it was asked for and holds.
import { orAborted } from '../../src/base/abort.ts';
import type { Unstructured } from '../../src/base/object.ts';
import type { KubeClient, ListQuery, ObjectPage } from '../../src/kube/client.ts';
import { Reflector } from '../../src/runtime/reflector.ts';
import { Store } from '../../src/runtime/store.ts';
import { FakeClock } from './fake-clock.ts';
import { noStreaming } from './reflector-bench.ts';
import { seededRandom } from './seeded-random.ts';
import { recordingLogger, recordingMetrics } from './silent-ports.ts';
import { WIDGETS, widget } from './widgets.ts';

const OBJECTS = 20_000;
const PAYLOAD_BYTES = 20 * 1024;

const limits = new Set<number | undefined>();

/** A page as the API server would send it, each object with a text of its own. */
function page({ limit = OBJECTS, continueToken = '' }: ListQuery): ObjectPage {
  limits.add(limit);
  const from = Number(continueToken);
  const to = Math.min(OBJECTS, from + limit);
  const items = Array.from({ length: to - from }, (_, index) => bigObject(from + index));
  return { items, resourceVersion: '1', continueToken: to < OBJECTS ? `${to}` : '' };
}

function bigObject(index: number): Unstructured {
  const payload = Buffer.alloc(PAYLOAD_BYTES, `${index} `).toString('latin1');
  return { ...widget(`w-${index}`, '1'), data: { payload } };
}

const clock = new FakeClock();
const stop = new AbortController();
const store = new Store();
let objects = 0;
const client = {
  list: (_type: unknown, query: ListQuery) => Promise.resolve(page(query)),
  watch: (
    _type: unknown,
    { sendInitialEvents }: { readonly sendInitialEvents?: boolean },
    { signal }: { readonly signal: AbortSignal },
  ) => (sendInitialEvents === true ? Promise.reject(noStreaming) : orAborted(new Promise(() => undefined), signal)),
};
const reflector = new Reflector({
  // A reflector lists and watches.
  client: client as unknown as KubeClient,
  type: WIDGETS,
  scope: {},
  transform:
    process.argv[2] === 'whole'
      ? (object) => object
      : ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
  clock,
  random: seededRandom(),
  log: recordingLogger(),
  metrics: recordingMetrics(),
  sink: {
    newContents: () => store.newContents(),
    replaced: (contents) => {
      objects = [...contents.objects()].length;
      stop.abort();
    },
    upserted: () => undefined,
    deleted: () => undefined,
    bookmarked: () => undefined,
    whenRoom: () => Promise.resolve(),
  },
});
const running = reflector.run(stop.signal);
while (!stop.signal.aborted) await clock.advance(1000);
await running;
process.stdout.write(JSON.stringify({ objects, limits: [...limits] }));
