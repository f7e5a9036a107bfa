import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAuditLog } from '../../controlplane/audit-log.ts';

const entry = (verb: string, username: string, resource: string): string =>
  `${JSON.stringify({ verb, user: { username }, objectRef: { resource }, requestURI: `/${verb}` })}\n`;

async function logOf(text: string, read: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-audit-'));
  try {
    await writeFile(join(folder, 'audit.log'), text);
    await read(join(folder, 'audit.log'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('gives the entries of a user, of verbs and of resources', async () => {
  const text = entry('get', 'a', 'pods') + entry('patch', 'a', 'pods') + entry('patch', 'b', 'secrets');
  await logOf(text, async (file) => {
    assert.equal((await readAuditLog(file)).length, 3);
    assert.equal((await readAuditLog(file, { user: 'a' })).length, 2);
    assert.equal((await readAuditLog(file, { user: 'a', verbs: ['patch'] })).length, 1);
    assert.equal((await readAuditLog(file, { resources: ['secrets'] })).length, 1);
  });
});

test('leaves a line that is still being written for the next read', async () => {
  await logOf(entry('get', 'a', 'pods') + entry('get', 'a', 'pods').slice(0, 20), async (file) => {
    assert.equal((await readAuditLog(file)).length, 1);
  });
});
