import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { checkLog, toRecord } from '../../e2e/harness-log.ts';

const folder = await mkdtemp(join(tmpdir(), 'homeostat-log-'));
after(async () => rm(folder, { recursive: true, force: true }));

async function logOf(text: string): Promise<string> {
  const file = join(folder, 'service.log');
  await writeFile(file, text);
  return file;
}

test('a log of strict lines is counted', async () => {
  assert.equal(await checkLog(await logOf('{"a":1}\n{"a":2}\n'), false), 2);
});

test('a line that says a key twice, or is no object, is refused', async () => {
  await assert.rejects(checkLog(await logOf('{"a":1}\n{"a":1,"a":2}\n'), false), /no strict JSON/);
  await assert.rejects(checkLog(await logOf('[1]\n'), false), /no JSON object/);
  await assert.rejects(checkLog(await logOf('(node:1) Warning: something\n'), true), /no strict JSON/);
});

test('half a line at the end is for a service that was killed alone', async () => {
  const file = await logOf('{"a":1}\n{"a"');
  assert.equal(await checkLog(file, true), 1);
  await assert.rejects(checkLog(file, false), /ends within a line/);
});

test('a line of a reconcile says which', () => {
  assert.throws(() => toRecord('{"controller":"c","name":"n","reconcileID":"r"}'), /does not say its namespace/);
  assert.doesNotThrow(() => toRecord('{"controller":"c","namespace":"","name":"n","reconcileID":"r"}'));
});
