import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { runCli } from '../../../src/cli/run-cli.ts';
import { stopSignal } from '../../../src/cli/stop-signal.ts';
import { recordingTerminal } from './recording-terminal.ts';

/** A process that can only be signalled. */
function signalled(): NodeJS.Process {
  // Of a process, only its events are used before the second signal.
  return new EventEmitter() as unknown as NodeJS.Process;
}

test('a stop fires with a reason that names the signal and is no bug', () => {
  const process = signalled();
  const { signal } = stopSignal(process);
  process.emit('SIGTERM', 'SIGTERM');
  assert.equal(signal.aborted, true);
  assert.deepEqual([signal.reason.code, signal.reason.message], ['HOMEOSTAT_STOPPED', 'Stopped by SIGTERM']);
});

test('a released stop leaves no handler behind', () => {
  const process = signalled();
  stopSignal(process).release();
  assert.deepEqual([process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')], [0, 0]);
});

test('a word that every object knows is no command', async () => {
  const terminal = recordingTerminal();
  const signal = new AbortController().signal;
  const code = await runCli({ kinds: [], argv: ['constructor'], env: {}, terminal, signal });
  assert.deepEqual([code, terminal.errors], [2, ['error: Unknown command "constructor"; run homeostat --help']]);
});
