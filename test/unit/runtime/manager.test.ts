import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orAborted, sleep } from '../../../src/base/abort.ts';
import { type Fail, Manager, type ManagerOptions, type Phase, PhaseFailed } from '../../../src/runtime/manager.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

function bench(phases: readonly Phase[], options: Partial<ManagerOptions> = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const running = new Manager({ phases, clock, log: recordingLogger(), ...options }).run(stop.signal);
  running.catch(() => undefined); // looked at later
  return { clock, stop, running };
}

/** A phase that writes down what happens to it. */
function noting(notes: string[], name: string, overrides: Partial<Phase> = {}): Phase {
  return {
    name,
    start: (signal) => {
      notes.push(`start ${name}`);
      signal.addEventListener('abort', () => notes.push(`end ${name}`));
      return Promise.resolve();
    },
    stop: () => Promise.resolve(void notes.push(`stop ${name}`)),
    ...overrides,
  };
}

const untilAborted = (signal: AbortSignal): Promise<void> => orAborted(new Promise<void>(() => undefined), signal);

test('phases start in order and stop in reverse, each ending after its stop', async () => {
  const notes: string[] = [];
  const { clock, stop, running } = bench([noting(notes, 'a'), noting(notes, 'b')]);
  await clock.settle();
  stop.abort();
  await running;
  assert.deepEqual(notes, ['start a', 'start b', 'stop b', 'end b', 'stop a', 'end a']);
  assert.equal(clock.pendingTimers, 0);
});

test('a phase starts only when the one before is up', async () => {
  const notes: string[] = [];
  const up = Promise.withResolvers<void>();
  const { clock, stop, running } = bench([noting(notes, 'a', { start: () => up.promise }), noting(notes, 'b')]);
  await clock.settle();
  assert.deepEqual(notes, []);
  up.resolve();
  await clock.settle();
  assert.deepEqual(notes, ['start b']);
  stop.abort();
  await running;
});

test('what runs is left to end within the grace and aborted after it', async () => {
  const notes: string[] = [];
  const { clock, stop, running } = bench([noting(notes, 'a'), noting(notes, 'b', { stop: untilAborted })], {
    graceMs: 10_000,
  });
  await clock.settle();
  stop.abort();
  await clock.advance(9_999);
  assert.deepEqual(notes, ['start a', 'start b']);
  await clock.advance(1);
  await assert.rejects(running, { code: 'HOMEOSTAT_PHASE_FAILED', message: /Phase b failed to stop.*10000 ms/ });
  assert.deepEqual(notes, ['start a', 'start b', 'end a', 'end b', 'stop a']);
});

test('a phase that ignores the abort is left behind', async () => {
  const { clock, stop, running } = bench([noting([], 'a', { stop: () => new Promise(() => undefined) })], {
    graceMs: 10_000,
  });
  await clock.settle();
  stop.abort();
  await clock.advance(15_000);
  await assert.rejects(running, PhaseFailed);
});

test('a phase whose turn comes after the grace has its own time to come back', async () => {
  const notes: string[] = [];
  const slow = noting(notes, 'slow', { stop: () => sleep(clock, 1000, new AbortController().signal) });
  const stuck = noting(notes, 'stuck', { stop: () => new Promise(() => undefined) });
  const { clock, stop, running } = bench([slow, stuck], { graceMs: 10_000 });
  await clock.settle();
  stop.abort();
  await clock.advance(15_000);
  await clock.advance(1000);
  await assert.rejects(running, {
    message: 'Phase stuck failed to stop: It went on for 5000 ms after it was aborted',
  });
});

test('a phase that fails to start stops those before it and is named', async () => {
  const notes: string[] = [];
  const broken = noting(notes, 'b', { start: () => Promise.reject(new Error('port in use')) });
  const { running } = bench([noting(notes, 'a'), broken, noting(notes, 'c')]);
  await assert.rejects(running, { message: 'Phase b failed to start: port in use' });
  assert.deepEqual(notes, ['start a', 'stop b', 'stop a', 'end a']);
});

test('a phase that fails in the background stops everything', async () => {
  const notes: string[] = [];
  let fail: Fail = () => undefined;
  const start: Phase['start'] = (_signal, report) => {
    fail = report;
    return Promise.resolve();
  };
  const { clock, running } = bench([noting(notes, 'a'), noting(notes, 'b', { start })]);
  await clock.settle();
  fail(new Error('socket closed'));
  await assert.rejects(running, { message: 'Phase b failed to run: socket closed' });
  assert.deepEqual(notes, ['start a', 'stop b', 'stop a', 'end a']);
});

test('what a phase reports after its end is no failure', async () => {
  const start: Phase['start'] = (signal, fail) => {
    signal.addEventListener('abort', () => fail(new Error('cut off')));
    return Promise.resolve();
  };
  const { clock, stop, running } = bench([noting([], 'a', { start })]);
  await clock.settle();
  stop.abort();
  await running;
});

test('several failures are told together', async () => {
  const broken = { stop: () => Promise.reject(new Error('stuck')) };
  const { clock, stop, running } = bench([noting([], 'a', broken), noting([], 'b', broken)]);
  await clock.settle();
  stop.abort();
  await assert.rejects(running, (error: unknown) => {
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(
      error.errors.map((each: PhaseFailed) => each.phase),
      ['b', 'a'],
    );
    return true;
  });
});

test('a stop during a start ends it, and is no failure', async () => {
  const notes: string[] = [];
  const { clock, stop, running } = bench([
    noting(notes, 'a'),
    noting(notes, 'b', { start: untilAborted }),
    noting(notes, 'c'),
  ]);
  await clock.settle();
  stop.abort();
  await running;
  assert.deepEqual(notes, ['start a', 'stop b', 'stop a', 'end a']);
});

test('a stop before the start starts nothing', async () => {
  const notes: string[] = [];
  const stop = new AbortController();
  stop.abort();
  await new Manager({ phases: [noting(notes, 'a')], clock: new FakeClock(), log: recordingLogger() }).run(stop.signal);
  assert.deepEqual(notes, []);
});
