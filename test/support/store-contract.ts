import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ObjectStore } from '../../src/adapters/object-store/object-store.ts';
import { StoreError } from '../../src/adapters/object-store/object-store.ts';

/** A folder that goes with the suite. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeostat-store-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The content of an object. */
export async function contentOf(store: ObjectStore, key: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of await store.read(key, never)) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** A signal that does not fire. */
export const never = new AbortController().signal;

/** What every store promises, whatever is behind it. `open` gives an empty one; `partBytes` is where it sends a file in parts. */
export function storeContract(name: string, open: () => Promise<ObjectStore>, partBytes: number): void {
  filesComeBack(name, open, partBytes);
  const keysOf = async (store: ObjectStore, prefix: string): Promise<readonly string[]> =>
    (await store.list(prefix, never)).map(({ key }) => key).toSorted();

  test(`${name}: a text is replaced whole`, async () => {
    const store = await open();
    await store.putText('a/m.json', 'a longer text than the next', never);
    await store.putText('a/m.json', 'short', never);
    assert.equal((await contentOf(store, 'a/m.json')).toString(), 'short');
  });

  test(`${name}: a list holds what is below its prefix, and nothing else`, async () => {
    const store = await open();
    for (const key of ['a/b/1', 'a/b/c/2', 'a/bb/3', 'd/4']) await store.putText(key, key, never);
    assert.deepEqual(await keysOf(store, 'a/b/'), ['a/b/1', 'a/b/c/2']);
    assert.deepEqual(await keysOf(store, 'none/'), []);
  });

  test(`${name}: what is deleted is gone, and deleting it again is no trouble`, async () => {
    const store = await open();
    await store.putText('a/1', '1', never);
    await store.delete('a/1', never);
    await store.delete('a/1', never);
    assert.deepEqual(await keysOf(store, 'a/'), []);
  });

  test(`${name}: what is not there is told as missing`, async () => {
    const store = await open();
    await store.putText('a/1', '1', never);
    const missing = (error: unknown): boolean => error instanceof StoreError && error.trouble === 'missing';
    await assert.rejects(contentOf(store, 'a/2'), missing);
    await assert.rejects(store.move('a/2', 'a/3', never), missing);
  });

  test(`${name}: a key that leaves its folder is refused`, async () => {
    const store = await open();
    for (const key of ['../x', 'a/../../x', '/x', 'a//b', ''])
      await assert.rejects(store.putText(key, 'x', never), StoreError);
  });

  test(`${name}: nothing is begun after the signal`, async () => {
    const store = await open();
    const reason = new Error('stopped');
    await assert.rejects(store.putText('a/1', '1', AbortSignal.abort(reason)), reason);
    assert.deepEqual(await keysOf(store, 'a/'), []);
  });
}

function filesComeBack(name: string, open: () => Promise<ObjectStore>, partBytes: number): void {
  for (const [what, size] of [
    ['an empty file', 0],
    ['a small file', 1000],
    ['a file of exactly one part', partBytes],
    ['a file of several parts', 2 * partBytes + 12_345],
  ] as const) {
    test(`${name}: ${what} comes back as it was, with its size in the list, and under another key after a move`, async () => {
      const store = await open();
      const file = join(await temporaryFolder(), 'dump');
      const content = randomBytes(size);
      await writeFile(file, content);
      await store.putFile('a/b/x.part', file, never);
      assert.ok((await contentOf(store, 'a/b/x.part')).equals(content));
      await store.move('a/b/x.part', 'a/b/x', never);
      const listed = (await store.list('a/b/', never)).map(({ key, sizeBytes }) => ({ key, sizeBytes }));
      assert.deepEqual(listed, [{ key: 'a/b/x', sizeBytes: size }]);
      assert.ok((await contentOf(store, 'a/b/x')).equals(content));
    });
  }
}
