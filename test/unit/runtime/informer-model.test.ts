import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Unstructured } from '../../../src/base/object.ts';
import type { CallOptions, ListQuery, ObjectPage, WatchFrame, WatchQuery } from '../../../src/kube/client.ts';
import type { ResourceType } from '../../../src/base/resource.ts';
import { createInformer } from '../../../src/runtime/shared-informer.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { apiError, ScriptedClient, ScriptedStream } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { bookmark, WIDGETS, widget } from '../../support/widgets.ts';

type Disaster = 'end' | 'reset' | 'compact' | 'refuse';

/** A server with a history: watches replay it from a version, and answer 410 below the compacted one. */
class ReferenceServer extends ScriptedClient {
  readonly objects = new Map<string, Unstructured>();
  readonly #history: { readonly version: number; readonly frame: WatchFrame }[] = [];
  readonly #streaming: boolean;
  #version = 1;
  #compacted = 0;
  #stream: ScriptedStream | undefined;
  #refusals = 0;

  constructor(streaming: boolean) {
    super();
    this.#streaming = streaming;
  }

  put(name: string, uid: string): void {
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    const object = widget(name, String(++this.#version), { uid });
    this.objects.set(name, object);
    this.#record({ type, object });
  }

  remove(name: string): void {
    const object = this.objects.get(name);
    if (object === undefined) return;
    this.objects.delete(name);
    this.#record({ type: 'DELETED', object: widget(name, String(++this.#version), { uid: object.metadata.uid }) });
  }

  strike(disaster: Disaster): void {
    if (disaster === 'compact') this.#compacted = this.#version + 1;
    if (disaster === 'refuse') this.#refusals = 2;
    if (disaster === 'reset') this.#stream?.fail(new Error('reset'));
    else this.#stream?.end();
    this.#stream = undefined;
  }

  override list(_type: ResourceType, _query: ListQuery, _options: CallOptions): Promise<ObjectPage> {
    return Promise.resolve({
      items: [...this.objects.values()],
      resourceVersion: String(this.#version),
      continueToken: '',
    });
  }

  override watch(_type: ResourceType, query: WatchQuery, { signal }: CallOptions): Promise<AsyncIterable<WatchFrame>> {
    if (this.#refusals-- > 0) return Promise.reject(apiError(429, 'TooManyRequests'));
    const initial = query.sendInitialEvents === true;
    if (initial && !this.#streaming) return Promise.reject(apiError(422, 'Invalid'));
    const from = Number(query.resourceVersion);
    if (!initial && from < this.#compacted) return Promise.reject(apiError(410, 'Expired'));
    const stream = new ScriptedStream();
    stream.follow(signal);
    if (initial) {
      for (const object of this.objects.values()) stream.send({ type: 'ADDED', object });
      stream.send(bookmark(String(this.#version), 'true'));
    } else {
      for (const { version, frame } of this.#history) if (version > from) stream.send(frame);
    }
    this.#stream = stream;
    return Promise.resolve(stream);
  }

  #record(frame: WatchFrame): void {
    this.#history.push({ version: this.#version, frame });
    this.#stream?.send(frame);
  }
}

type Step =
  | { readonly type: 'put'; readonly name: string; readonly uid: string }
  | { readonly type: 'remove'; readonly name: string }
  | { readonly type: 'strike'; readonly disaster: Disaster }
  | { readonly type: 'advance'; readonly byMs: number };

const name = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('put' as const), name, uid: fc.constantFrom('1', '2') }),
  fc.record({ type: fc.constant('remove' as const), name }),
  fc.record({
    type: fc.constant('strike' as const),
    disaster: fc.constantFrom<Disaster>('end', 'reset', 'compact', 'refuse'),
  }),
  fc.record({ type: fc.constant('advance' as const), byMs: fc.constantFrom(0, 500, 5000) }),
);

async function run(streaming: boolean, steps: readonly Step[]): Promise<void> {
  const clock = new FakeClock();
  const server = new ReferenceServer(streaming);
  const ports = { clock, random: seededRandom(), log: recordingLogger(), metrics: recordingMetrics() };
  const informer = createInformer({ client: server, type: WIDGETS, ...ports });
  const heard = new Map<string, Unstructured>();
  informer.addHandler({
    added: (object) => {
      assert.equal(heard.has(object.metadata.name), false, 'added twice');
      heard.set(object.metadata.name, object);
    },
    updated: (before, after, { replaced }) => {
      assert.equal(heard.get(after.metadata.name), before, 'update from an object nobody heard of');
      assert.equal(replaced, before.metadata.uid !== after.metadata.uid);
      heard.set(after.metadata.name, after);
    },
    deleted: (last) => assert.equal(heard.delete(last.metadata.name), true, 'deletion of an object nobody heard of'),
  });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  for (const { ...action } of steps) {
    if (action.type === 'put') server.put(action.name, action.uid);
    else if (action.type === 'remove') server.remove(action.name);
    else if (action.type === 'strike') server.strike(action.disaster);
    else await clock.advance(action.byMs);
  }
  await clock.advance(400_000);
  assert.deepEqual(new Set(informer.store.list()), new Set(server.objects.values()));
  assert.deepEqual(new Set(heard.values()), new Set(server.objects.values()));
  abort.abort();
  await running;
  assert.equal(clock.pendingTimers, 0);
}

for (const streaming of [true, false]) {
  const how = streaming ? 'streaming lists' : 'lists in pages';
  test(`R38 store and handlers end up with what the server has, after any disconnections, with ${how}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) => run(streaming, steps)),
      { numRuns: 60 },
    );
  });
}
