import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { parseStrictJson } from '../../support/strict-json.ts';

function capture() {
  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    clock: new FakeClock(Date.UTC(2026, 0, 1)),
    destination: { write: (line) => void lines.push(line) },
  });
  return { lines, log };
}

/** Keys of one line as they stand in the text, so that a duplicate shows. */
function keysOf(line: string): string[] {
  return [...line.matchAll(/[{,]"([^"]+)":/g)].map((match) => match[1] ?? '');
}

test('a line has level, ts, msg and the fields', () => {
  const { lines, log } = capture();
  log.info('Reconciled', { controller: 'environment', ms: 12 });
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    level: 'info',
    ts: '2026-01-01T00:00:00Z',
    msg: 'Reconciled',
    controller: 'environment',
    ms: 12,
  });
});

test('a key bound by parent, child and call stands once, with the last value', () => {
  const { lines, log } = capture();
  log.with({ name: 'a', namespace: 'x' }).with({ name: 'b' }).info('Hello', { name: 'c' });
  const line = lines[0] ?? '';
  assert.deepEqual(keysOf(line).toSorted(), ['level', 'msg', 'name', 'namespace', 'ts']);
  assert.equal(JSON.parse(line).name, 'c');
});

test('B-69 nested child loggers that bind name, namespace and err, and a call with the same keys, write each key once', () => {
  const { log, lines } = capture();
  log
    .with({ name: 'a', namespace: 'b', err: new Error('first') })
    .with({ name: 'c', namespace: 'd', err: new Error('second') })
    .error('m', { name: 'e', namespace: 'f', err: new Error('third') });
  const line = parseStrictJson(lines[0] ?? '');
  assert.ok(isRecord(line));
  assert.deepEqual([lines.length, line['name'], line['namespace']], [1, 'e', 'f']);
});

test('fields named like the keys of the line keep their value under another name', () => {
  const { lines, log } = capture();
  log.with({ level: 'bound' }).warn('Hello', { ts: 'then', msg: 'other', level: 'high' });
  const line = lines[0] ?? '';
  assert.equal(new Set(keysOf(line)).size, keysOf(line).length);
  assert.deepEqual(JSON.parse(line), {
    level: 'warn',
    ts: '2026-01-01T00:00:00Z',
    msg: 'Hello',
    level_: 'high',
    ts_: 'then',
    msg_: 'other',
  });
});

test('an error under any key is written with type, code, message, stack and cause', () => {
  const { lines, log } = capture();
  log.error('Failed', { err: new Error('outer', { cause: new TypeError('inner') }) });
  const { err } = JSON.parse(lines[0] ?? '');
  assert.equal(err.message, 'outer');
  assert.equal(err.cause.type, 'TypeError');
});

test('credentials in messages and fields are masked', () => {
  const { lines, log } = capture();
  log.info('Header Bearer abc.def', { note: 'token hvs.CAESIJ12345678', err: new Error('Bearer zzz') });
  assert.doesNotMatch(lines[0] ?? '', /abc\.def|CAESIJ|zzz/);
});

test('a percent sign in a message is text', () => {
  const { lines, log } = capture();
  log.info('100% of %s and %d done');
  assert.equal(JSON.parse(lines[0] ?? '').msg, '100% of %s and %d done');
});

test('lines below the level are not written', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  createLogger({ level: 'warn', clock: new FakeClock(), destination }).info('Hidden');
  assert.deepEqual(lines, []);
});

test('texts in a list are masked, and a list of thousands is cut', () => {
  const { lines, log } = capture();
  log.info('Vault warns', { warnings: ['unused token hvs.CAESIJabcdefghijkl'] });
  assert.doesNotMatch(lines[0] ?? '', /CAES/);
  log.info('Many', { findings: Array.from({ length: 100_000 }, (_, index) => `finding ${index}`) });
  assert.ok((lines[1] ?? '').length < 2000);
  assert.match(lines[1] ?? '', /and 99950 more/);
});

test('the parts of an error that has several are told', () => {
  const { lines, log } = capture();
  log.error('Failed', { err: new AggregateError([new Error('one reason'), new Error('another')], 'several') });
  assert.match(lines[0] ?? '', /one reason.*another/);
});
