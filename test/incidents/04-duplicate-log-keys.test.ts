import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import type { LogFields, Logger } from '../../src/base/logger.ts';
import { type Outcome, noop } from '../../src/base/outcome.ts';
import { Controller } from '../../src/runtime/controller.ts';
import { WorkQueue } from '../../src/runtime/work-queue.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { recordingMetrics } from '../support/silent-ports.ts';
import { parseStrictJson, StrictJsonError } from '../support/strict-json.ts';
import { lineSink, naiveWays } from './04-naive-logger.ts';

/** A logger of ours over lines that can be read back. */
function ours() {
  const sink = lineSink();
  return { sink, log: createLogger({ level: 'debug', destination: sink, clock: new FakeClock() }) };
}

/** The same wish as each naive way has, in the words of our logger; what it cannot say is said with the nearest it can. */
const ourWays: Readonly<Record<string, (log: Logger) => void>> = {
  '1 child binding and call': (log) => log.with({ key: 'a' }).info('m', { key: 'b' }),
  '2 child and child of child': (log) => log.with({ key: 'a' }).with({ key: 'b' }).info('m'),
  '3 base and child': (log) => log.with({ key: 'a' }).with({ key: 'b' }).info('m', {}),
  '4 mixin and child': (log) =>
    log
      .with({ ...{ key: 'a' } })
      .with({ key: 'b' })
      .info('m'),
  '5 the keys of the line itself in the call': (log) =>
    log.info('m', { time: 1, pid: 2, hostname: 'h', level: 'x', ts: 'y' }),
  '6 msg in the object and as argument': (log) => log.with({ msg: 'a' }).info('m', { msg: 'b', msg_: 'c' }),
  '7 err bound and an error as argument': (log) =>
    log.with({ err: new Error('a') }).error('m', { err: new Error('b') }),
  '8 setBindings': (log) => log.with({ key: 'a' }).with({ key: 'b', other: 'c' }).with({ key: 'd' }).info('m'),
  '9 formatters.bindings and child': (log) => log.with({ level: 'a' }).with({ level: 'b' }).info('m'),
  '10 formatters.log and child': (log) => log.with({ key: 'b' }).info('m', { x: 1, key: 'a' }),
  '11 a timestamp as text and the object': (log) => log.with({ ts: 'then' }).info('m', { ts: 'now', ts_: 'later' }),
  '12 a serialised key in child and call': (log) => log.with({ req: 'a' }).info('m', { req: 'b' }),
  '13 the reqId of the server and ours': (log) => log.with({ reqId: 1 }).with({ reqId: 'ours' }).info('m'),
  '14 nestedKey with two children': (log) => log.with({ fields: 'a' }).with({ fields: 'b' }).info('m', { key: 'c' }),
};

test('both sides have the same 14 ways', () => {
  assert.deepEqual(Object.keys(ourWays), Object.keys(naiveWays));
  assert.equal(Object.keys(ourWays).length, 14);
});

for (const [way, write] of Object.entries(naiveWays)) {
  test(`naive: way ${way} writes a line that a strict parser refuses`, () => {
    const sink = lineSink();
    write(sink);
    assert.equal(sink.lines.length, 1);
    assert.throws(() => parseStrictJson(sink.lines[0] ?? ''), StrictJsonError, sink.lines[0]);
  });
}

for (const [way, write] of Object.entries(ourWays)) {
  test(`way ${way} writes each key once`, () => {
    const { sink, log } = ours();
    write(log);
    assert.equal(sink.lines.length, 1);
    assert.ok(isRecord(parseStrictJson(sink.lines[0] ?? '')));
  });
}

test('a line of a reconcile has controller, namespace, name and reconcileID exactly once, whatever the step binds', async () => {
  const { sink, log } = ours();
  const parts = { name: 'widget', clock: new FakeClock(), random: seededRandom(), metrics: recordingMetrics(), log };
  const queue = new WorkQueue(parts);
  const clash: LogFields = { controller: 'x', namespace: 'y', name: 'z', reconcileID: 'w', err: new Error('e') };
  const reconcile = ({ log: line }: { readonly log: Logger }): Promise<Outcome> => {
    line.info('from a step');
    line.with(clash).warn('from a careless step', clash);
    return Promise.resolve(noop(undefined));
  };
  const controller = new Controller({ ...parts, queue, reconcile });
  const stop = new AbortController();
  const running = controller.run(stop.signal, new AbortController().signal);
  queue.add({ namespace: 'team-a', name: 'w' });
  await parts.clock.advance(1000);
  stop.abort();
  await running;
  assert.equal(sink.lines.length, 3, 'lines parsed equal lines written');
  for (const line of sink.lines) {
    const parsed = parseStrictJson(line);
    assert.ok(isRecord(parsed));
    for (const key of ['controller', 'namespace', 'name', 'reconcileID']) assert.ok(key in parsed, `${key} in ${line}`);
  }
});
