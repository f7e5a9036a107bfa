import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HomeostatError } from '../../../src/base/errors.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import { kinds } from '../../../src/kinds/index.ts';
import type { Kind } from '../../../src/sdk/kind.ts';
import { commandLine } from './commands.ts';
import { recordingTerminal } from './recording-terminal.ts';

test('a simulation of one kind ends with its numbers', async () => {
  const { code, out } = await commandLine('simulate', 'clusterconfig', '--runs', '3', '--seed', '20');
  assert.equal(code, 0);
  assert.match(out[0] ?? '', /^KIND +RUNS +WHOLE +SCHEDULES +RUNS\/MINUTE +VIRTUAL TIME +WRITES +FAILURES$/);
  assert.match(out[1] ?? '', /^ClusterConfig +3 +1 +3 +\d+ +\d+ min +\d+ +0$/);
  assert.match(out.at(-1) ?? '', /^\nDigest of all traces, .*: [0-9a-f]{16}$/);
});

test('whole scenarios alone are had by a flag', async () => {
  const { out } = await commandLine('simulate', 'clusterconfig', '--runs', '2', '--whole');
  assert.match(out[1] ?? '', /^ClusterConfig +2 +2 +2 /);
});

test('a kind that is not there is named, with its neighbour or with all there are', async () => {
  const { code, err } = await commandLine('simulate', 'enviroment');
  assert.equal(code, 2);
  assert.match(err.join('\n'), /There is no kind "enviroment"; did you mean Environment\?/);
  const far = await commandLine('simulate', 'deployment');
  assert.match(far.err.join('\n'), /There is no kind "deployment"; there are (\w+, )*Environment, /);
});

test('an interrupted campaign is no success', async () => {
  const terminal = recordingTerminal();
  const stop = new HomeostatError('HOMEOSTAT_STOPPED', 'Stopped by SIGINT');
  const code = await runCli({ kinds, argv: ['simulate'], env: {}, signal: AbortSignal.abort(stop), terminal });
  assert.deepEqual([code, terminal.errors], [1, ['error: Stopped by SIGINT [HOMEOSTAT_STOPPED]']]);
});

test('a broken promise is told with its seed, the smallest plan and what happened', async () => {
  const terminal = recordingTerminal();
  // Not every scenario comes to a status; among a few one does.
  const argv = ['simulate', 'environment', '--runs', '5', '--seed', '1', '--whole'];
  const code = await runCli({
    kinds: kinds.map((kind) => (kind === environmentKind ? talkative(kind) : kind)),
    argv,
    env: {},
    signal: new AbortController().signal,
    terminal,
  });
  assert.equal(code, 1);
  const told = terminal.written.join('\n');
  assert.match(told, /^Environment, seed [1-5]: no secret in any message was not kept$/m);
  assert.match(told, /What was done:\n(.*\n)*What happened, leases left out:\n/);
});

/** The kind with a token of Vault in its status. */
function talkative(kind: Kind): Kind {
  const { pipeline, ...rest } = kind;
  return pipeline === undefined ? rest : { ...rest, pipeline: { ...pipeline, status: () => ({ namespace: 'hvs.1' }) } };
}
