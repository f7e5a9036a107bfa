import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../../src/base/abort.ts';
import { noop, transient } from '../../../src/base/outcome.ts';
import { Controller } from '../../../src/runtime/controller.ts';
import type { Reconcile } from '../../../src/runtime/reconcile.ts';
import { WorkQueue } from '../../../src/runtime/work-queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';

const ROUNDS = 100;
const STEP_MS = 1000;

/** Controllers that share clock, metrics and event loop, as those of one service do. */
class Service {
  readonly clock = new FakeClock();
  readonly metrics = recordingMetrics();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  controller(name: string, reconcile: Reconcile): WorkQueue {
    const ports = { clock: this.clock, random: seededRandom(), metrics: this.metrics, log: recordingLogger() };
    const queue = new WorkQueue({ name, ...ports });
    const controller = new Controller({ name, queue, reconcile, timeoutMs: 60_000, ...ports });
    this.#running.push(controller.run(this.#stop.signal, this.#stop.signal));
    return queue;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}

/** How long each of many keys of a controller waited for its worker, beside whatever else the service runs. */
async function waits(service: Service, besides: (round: number) => void): Promise<readonly number[]> {
  const added = new Map<string, number>();
  const waited: number[] = [];
  const queue = service.controller('measured', async ({ key, signal }) => {
    waited.push(service.clock.monotonic() - (added.get(key.name) ?? Number.NaN));
    await sleep(service.clock, STEP_MS * 0.4, signal);
    return noop(undefined);
  });
  for (let round = 0; round < ROUNDS; round++) {
    besides(round);
    for (const name of [`a${round}`, `b${round}`]) {
      added.set(name, service.clock.monotonic());
      queue.add({ name });
    }
    await service.clock.advance(STEP_MS);
  }
  return waited;
}

test('a controller that hangs and one that always throws leave the waits of a third as they are', async () => {
  const alone = new Service();
  const expected = await waits(alone, () => undefined);
  await alone.end();

  const service = new Service();
  const hanging = service.controller('hanging', ({ signal }) =>
    sleep(service.clock, 3_600_000, signal).then(() => noop(0)),
  );
  const throwing = service.controller('throwing', () => {
    throw new Error('a mistake');
  });
  const beside = await waits(service, (round) => {
    hanging.add({ name: `h${round}` });
    throwing.add({ name: `t${round}` });
  });
  await service.end();
  assert.deepEqual(beside, expected);
  assert.equal(expected.length, 2 * ROUNDS);
  const count = (name: string, controller: string): number => service.metrics.value(name, { controller });
  assert.ok(count('controller_runtime_reconcile_timeouts_total', 'hanging') >= 1, 'the deadline was met');
  assert.ok(count('controller_runtime_reconcile_panics_total', 'throwing') >= ROUNDS, 'each key threw');
});

test('a key that always fails delays no other key of its controller, and is asked less and less often', async () => {
  const clock = new FakeClock();
  const ports = { clock, random: seededRandom(), metrics: recordingMetrics(), log: recordingLogger() };
  const queue = new WorkQueue({ name: 'one', ...ports });
  const stop = new AbortController();
  const added = new Map<string, number>();
  const waited: number[] = [];
  let failures = 0;
  const reconcile: Reconcile = async ({ key }) => {
    if (key.name === 'bad') {
      failures += 1;
      return transient('Retrying', 'it is broken');
    }
    waited.push(clock.monotonic() - (added.get(key.name) ?? Number.NaN));
    return noop(undefined);
  };
  const running = new Controller({ name: 'one', queue, reconcile, ...ports }).run(stop.signal, stop.signal);
  queue.add({ name: 'bad' });
  for (let round = 0; round < ROUNDS; round++) {
    added.set(`good${round}`, clock.monotonic());
    queue.add({ name: `good${round}` });
    await clock.advance(STEP_MS);
  }
  stop.abort();
  await running;
  assert.deepEqual(new Set(waited), new Set([0]));
  assert.equal(waited.length, ROUNDS);
  assert.ok(failures > 3 && failures <= 9, `${failures} tries in ${ROUNDS} s`);
});
