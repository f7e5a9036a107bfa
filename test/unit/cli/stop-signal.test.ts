import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { runCli } from '../../../src/cli/run-cli.ts';
import { type SignalledProcess, stopSignal } from '../../../src/cli/stop-signal.ts';
import { recordingTerminal } from './recording-terminal.ts';

function setup() {
  const emitter = new EventEmitter();
  const exits: unknown[] = [];
  let nowMs = 0;
  // An emitter has `on` and `off`; Node's own types for signals are overloads of them.
  const process = Object.assign(emitter, { exit: (code: unknown) => exits.push(code) }) as unknown as SignalledProcess;
  const stop = stopSignal(process, { monotonic: () => nowMs });
  const send = (name: string, atMs: number): void => {
    nowMs = atMs;
    emitter.emit(name, name);
  };
  return { stop, send, exits, emitter };
}

test('the first signal stops with a reason that names it and is no bug', () => {
  const { stop, send, exits } = setup();
  send('SIGTERM', 1000);
  assert.deepEqual([stop.signal.reason.code, stop.signal.reason.message], ['HOMEOSTAT_STOPPED', 'Stopped by SIGTERM']);
  assert.deepEqual(exits, []);
});

test('the same Ctrl-C that npm passes on once more is no second wish', () => {
  const { send, exits } = setup();
  send('SIGINT', 1000);
  send('SIGINT', 1010);
  assert.deepEqual(exits, []);
});

test('a second Ctrl-C ends the process at once', () => {
  const { send, exits } = setup();
  send('SIGINT', 1000);
  send('SIGINT', 1500);
  assert.deepEqual(exits, [130]);
});

test('a release takes the handlers off', () => {
  const { stop, emitter } = setup();
  stop.release();
  assert.deepEqual([emitter.listenerCount('SIGINT'), emitter.listenerCount('SIGTERM')], [0, 0]);
});

test('a word that every object knows is no command', async () => {
  const terminal = recordingTerminal();
  const signal = new AbortController().signal;
  const code = await runCli({ kinds: [], argv: ['constructor'], env: {}, terminal, signal });
  assert.deepEqual([code, terminal.errors], [2, ['error: Unknown command "constructor"; run homeostat --help']]);
});
