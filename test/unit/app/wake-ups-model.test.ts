import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { wakeByWatch } from '../../../src/app/wake-ups.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import type { CallOptions, ObjectPage, WatchFrame, WatchQuery } from '../../../src/kube/client.ts';
import { OwnEchoes } from '../../../src/runtime/own-echoes.ts';
import { createInformer, type SharedInformer } from '../../../src/runtime/shared-informer.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { apiError, ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, WIDGETS, widget } from '../../support/widgets.ts';

const CHILD = { namespace: 'ns', name: 'c' };
/** The object whose passes write the child, and one that only looks at it. */
const [WRITER, READER] = [{ name: 'writer' }, { name: 'reader' }];

/** A server with one object that two parties write. Its events wait until they are delivered. */
class SlowServer extends ScriptedClient {
  child: Unstructured | undefined;
  readonly #waiting: WatchFrame[] = [];
  #version = 1;
  #compacted = 0;
  #delivered = '1';
  #stream: ScriptedStream | undefined;

  writeForeign(): void {
    this.#put({ ...this.child?.metadata.labels, foreign: String(this.#version) });
  }

  /** As an apply does: our part is set, that of others stays. */
  applyOurs(): string {
    return this.#put({ ...this.child?.metadata.labels, ours: String(this.#version) });
  }

  remove(): void {
    if (this.child === undefined) return;
    const object = widget(CHILD.name, String(++this.#version), { uid: this.child.metadata.uid });
    this.child = undefined;
    this.#waiting.push({ type: 'DELETED', object });
  }

  /** The reader takes a turn off after the first frame, so that the events behind the bookmark come within one and are merged. */
  deliver(count: number): void {
    if (this.#stream === undefined) return;
    const frames = this.#waiting.splice(0, count);
    this.#stream.send(bookmark(this.#delivered), ...frames);
    this.#delivered = versionOf(frames.at(-1)) ?? this.#delivered;
  }

  /** The watch breaks, and what had not come yet never does: a list brings the outcome. */
  breakWatch(): void {
    this.#waiting.length = 0;
    this.#compacted = this.#version + 1;
    this.#stream?.end();
    this.#stream = undefined;
  }

  override list(): Promise<ObjectPage> {
    const items = this.child === undefined ? [] : [this.child];
    this.#waiting.length = 0;
    this.#delivered = String(this.#version);
    return Promise.resolve({ items, resourceVersion: String(this.#version), continueToken: '' });
  }

  override watch(_type: unknown, query: WatchQuery, { signal }: CallOptions): Promise<AsyncIterable<WatchFrame>> {
    if (query.sendInitialEvents === true) return Promise.reject(apiError(422, 'Invalid'));
    if (Number(query.resourceVersion) < this.#compacted) return Promise.reject(apiError(410, 'Expired'));
    this.#compacted = 0;
    this.#stream = new ScriptedStream();
    this.#stream.follow(signal);
    return Promise.resolve(this.#stream);
  }

  #put(labels: Readonly<Record<string, string>>): string {
    const version = String(++this.#version);
    const type = this.child === undefined ? 'ADDED' : 'MODIFIED';
    const uid = this.child?.metadata.uid ?? version;
    this.child = widget(CHILD.name, version, { uid, labels });
    this.#waiting.push({ type, object: this.child });
    return version;
  }
}

function versionOf(frame: WatchFrame | undefined): string | undefined {
  return frame === undefined || frame.type === 'ERROR' ? undefined : frame.object.metadata.resourceVersion;
}

/** What a key has to know of the child: the writer what others wrote, the reader everything. */
function concernOf(name: string, child: Unstructured | undefined): string {
  const { foreign = '', ours = '' } = child?.metadata.labels ?? {};
  return name === WRITER.name ? foreign : `${foreign} ${ours}`;
}

/** One pass of the writer, from its look at the cache to the answer to its write. */
interface Writing {
  readonly ended: (version?: string) => void;
  stored: string | undefined;
}

/** A controller with one worker for each of the two keys, its passes cut into steps. */
class Bench {
  readonly clock = new FakeClock();
  readonly server = new SlowServer();
  readonly seen = new Map<string, string>();
  readonly #ports = { clock: this.clock, random: seededRandom(), metrics: recordingMetrics() };
  readonly #queue = new WorkQueue({ name: 'widgets', ...this.#ports });
  readonly #echoes = new OwnEchoes([WIDGETS], assert.ifError);
  readonly #informer: SharedInformer;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #writing: Writing | undefined;

  constructor() {
    this.server.writeForeign();
    this.#informer = createInformer({ client: this.server, type: WIDGETS, log: recordingLogger(), ...this.#ports });
    const watch = { type: WIDGETS, toKeys: () => [WRITER, READER] };
    const lookup = { get: () => undefined, byIndex: () => [] };
    this.#informer.addHandler(wakeByWatch(this.#queue, watch, lookup, this.#echoes));
    this.#running = this.#informer.run(this.#stop.signal);
  }

  /** A woken key looks at the cache; the writer then sends something. */
  async work(): Promise<void> {
    if (this.#queue.length === 0) return;
    const item = await this.#queue.get(this.#stop.signal);
    if (item === undefined) return;
    const { name } = item.key;
    this.seen.set(name, concernOf(name, this.#informer.store.get(CHILD)));
    if (name === READER.name) this.#queue.done(item.key);
    else this.#writing = { ended: this.#echoes.sending(WIDGETS, CHILD, WRITER), stored: undefined };
  }

  store(): void {
    if (this.#writing !== undefined) this.#writing.stored ??= this.server.applyOurs();
  }

  /** A write that was not stored is refused; one that was may have its answer lost. */
  answer(lost: boolean): void {
    if (this.#writing === undefined) return;
    this.#writing.ended(lost ? undefined : this.#writing.stored);
    this.#writing = undefined;
    this.#queue.done(WRITER);
  }

  async end(): Promise<ReadonlySet<string>> {
    this.answer(false);
    this.server.deliver(Number.POSITIVE_INFINITY);
    await this.clock.advance(60_000);
    const woken = new Set<string>();
    while (this.#queue.length > 0) woken.add((await this.#queue.get(this.#stop.signal))?.key.name ?? '');
    this.#stop.abort();
    await this.#running;
    this.#queue.shutDown();
    return woken;
  }
}

type Move = (bench: Bench) => void | Promise<void>;
const moves: Readonly<Record<string, Move>> = {
  foreign: ({ server }) => server.writeForeign(),
  remove: ({ server }) => server.remove(),
  work: (bench) => bench.work(),
  store: (bench) => bench.store(),
  answer: (bench) => bench.answer(false),
  lose: (bench) => bench.answer(true),
  deliver: ({ server }) => server.deliver(1),
  deliverTwo: ({ server }) => server.deliver(2),
  breakWatch: ({ server }) => server.breakWatch(),
  turn: ({ clock }) => clock.advance(5000),
};

test('every change by others has woken each key that looks at the object, or was seen by its last pass', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(moves)), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(names, async (steps) => {
      const bench = new Bench();
      await bench.clock.advance(5000);
      for (const step of steps) await moves[step]?.(bench);
      const woken = await bench.end();
      for (const { name } of [WRITER, READER]) {
        const now = concernOf(name, bench.server.child);
        if (!woken.has(name)) assert.equal(bench.seen.get(name), now, `the ${name} has not heard`);
      }
    }),
    { numRuns: 400 },
  );
});
