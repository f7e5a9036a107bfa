import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ApiAnswer } from '../../controlplane/api-access.ts';
import { mountSecret } from '../../e2e/harness-secret-mount.ts';
import { eventually } from '../../support/eventually.ts';

async function mounted(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'homeostat-mount-'));
  let answer: ApiAnswer = { code: 404, headers: {}, body: {} };
  const folder = join(root, 'certs');
  const plane = { request: async (): Promise<ApiAnswer> => Promise.resolve(answer) };
  const mount = mountSecret(plane, { namespace: 'a', name: 'b' }, folder);
  t.after(async () => {
    await mount.close();
    await rm(root, { recursive: true });
  });
  const store = (resourceVersion: string, text: string): void => {
    const data = { 'tls.crt': Buffer.from(text).toString('base64') };
    answer = { code: 200, headers: {}, body: { metadata: { resourceVersion }, data } };
  };
  return { folder, store };
}

async function content(folder: string): Promise<string> {
  return readFile(join(folder, 'tls.crt'), 'utf8').catch(() => '');
}

test('an absent Secret is an empty folder, and its files appear when it does', async (t) => {
  const { folder, store } = await mounted(t);
  await eventually('the folder', async () => (await readdir(folder)).length === 0);
  store('1', 'first');
  await eventually('the file', async () => (await content(folder)) === 'first');
  assert.equal(await readlink(join(folder, 'tls.crt')), join('..data', 'tls.crt'));
});

test('a changed Secret swaps the whole payload and leaves nothing of the old one', async (t) => {
  const { folder, store } = await mounted(t);
  store('1', 'first');
  await eventually('the first content', async () => (await content(folder)) === 'first');
  const before = await readlink(join(folder, '..data'));
  store('2', 'second');
  await eventually('the second content', async () => (await content(folder)) === 'second');
  await eventually('the old payload to go', async () => !(await readdir(folder)).includes(before));
  assert.notEqual(await readlink(join(folder, '..data')), before);
});
