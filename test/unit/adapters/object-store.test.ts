import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FolderStore } from '../../../src/adapters/object-store/folder-store.ts';
import { StoreError } from '../../../src/adapters/object-store/object-store.ts';
import { openStore } from '../../../src/adapters/object-store/open-store.ts';
import { S3Store } from '../../../src/adapters/object-store/s3-store.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeS3 } from '../../support/fake-s3.ts';
import { never, storeContract, temporaryFolder } from '../../support/store-contract.ts';

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test-secret';

const PART = 64 * 1024;
const fake = await FakeS3.start();
after(() => fake.close());

function bucket(prefix: string): S3Store {
  const place = { bucket: 'backups', prefix, region: 'us-east-1', endpoint: fake.endpoint, pathStyle: true };
  const store = new S3Store(place, { partBytes: PART, copyBytes: PART });
  after(() => store.close());
  return store;
}

let prefixes = 0;
storeContract('bucket', async () => bucket(`p${++prefixes}`), PART);
storeContract('folder', async () => new FolderStore(await temporaryFolder()), PART);

test('a list of a bucket is followed to its end', async () => {
  const store = bucket('many');
  for (let i = 0; i < 1001; i++) fake.objects.set(`many/a/${String(i).padStart(4, '0')}`, Buffer.from('x'));
  assert.equal((await store.list('a/', never)).length, 1001);
});

test('a list that fails on its second page is a failure, not a short list', async () => {
  const store = bucket('many');
  fake.faults.failPage = 2;
  await assert.rejects(store.list('a/', never), StoreError);
  delete fake.faults.failPage;
});

test('a versioned bucket says that it keeps what is deleted', async () => {
  const store = bucket('versions');
  await store.putText('a/1', '1', never);
  fake.faults.versioned = true;
  assert.deepEqual(await store.delete('a/1', never), { keepsVersions: true });
  delete fake.faults.versioned;
});

test('a refusal of a bucket is told as denied, with its key and without credentials', async () => {
  const store = bucket('locked');
  fake.faults.denyDelete = true;
  await assert.rejects(store.delete('a/1', never), (error: unknown) => {
    assert.ok(error instanceof StoreError && error.trouble === 'denied');
    assert.match(error.message, /s3:\/\/backups\/locked refuses access to a\/1 \(AccessDenied, 403\)/);
    assert.doesNotMatch(error.message, /test-secret/);
    return true;
  });
  delete fake.faults.denyDelete;
});

test('uploads that were begun long ago and not finished are given up, younger ones are not', async () => {
  const store = bucket('uploads');
  fake.uploads.set('old', { key: 'uploads/a/1', initiatedMs: 1000, parts: new Map() });
  fake.uploads.set('new', { key: 'uploads/a/2', initiatedMs: 3000, parts: new Map() });
  assert.equal(await store.abandonUploads('a/', 2000, never), 1);
  assert.deepEqual([...fake.uploads.keys()], ['new']);
});

test('an upload in parts that fails leaves nothing behind', async () => {
  const store = bucket('halves');
  const file = join(await temporaryFolder(), 'dump');
  await writeFile(file, Buffer.alloc(3 * PART));
  const stop = new AbortController();
  const put = store.putFile('a/1', file, stop.signal);
  fake.uploads.clear();
  stop.abort(new Error('killed'));
  await assert.rejects(put, /killed/);
  assert.equal(fake.objects.has('halves/a/1'), false);
});

test('a folder that is not there is told, not made: a volume may not be mounted', async () => {
  const store = new FolderStore(join(await temporaryFolder(), 'not-mounted'));
  await assert.rejects(store.putText('a/1', '1', never), /is not there/);
  await assert.rejects(store.list('a/', never), StoreError);
});

test('a text that a crash has cut off is in no list', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'a'));
  await writeFile(join(folder, 'a', 'm.json.unfinished'), '{"ha');
  assert.deepEqual(await new FolderStore(folder).list('a/', never), []);
  assert.deepEqual(await readdir(join(folder, 'a')), ['m.json.unfinished']);
});

test('a store is opened by its address', async () => {
  const folder = await temporaryFolder();
  assert.equal((await openStore({ url: `file://${folder}`, region: 'us-east-1' })).store.description, folder);
  const { store, close } = await openStore({ url: 's3://backups/prod/eu/', region: 'eu-1', endpoint: fake.endpoint });
  assert.equal(store.description, 's3://backups/prod/eu');
  close();
  for (const url of ['backups', 'https://example.org/x', 's3:///x']) {
    await assert.rejects(openStore({ url, region: 'us-east-1' }), /is no store/);
  }
});

test('a copy that is not whole is no move: the object stays where it was', async () => {
  const store = bucket('half');
  await store.putText('a/1', 'all of it', never);
  fake.faults.halfCopy = true;
  await assert.rejects(store.move('a/1', 'a/2', never), /a\/2 in s3:\/\/backups\/half has not the 9 bytes/);
  delete fake.faults.halfCopy;
  assert.equal(fake.objects.get('half/a/1')?.toString(), 'all of it');
});

test('what is not there is deleted, also where a server answers that it was missing', async () => {
  fake.faults.strictDelete = true;
  const deleted = bucket('strict').delete('a/1', never);
  assert.deepEqual(await deleted.finally(() => delete fake.faults.strictDelete), { keepsVersions: false });
});

for (const [what, bytes] of [
  ['one request', 10],
  ['parts', 2 * PART],
] as const) {
  test(`a bucket whose object lock has a default retention takes a file in ${what}`, async (t) => {
    fake.faults.wantDigest = true;
    t.after(() => delete fake.faults.wantDigest);
    const store = bucket('retained');
    const file = join(await temporaryFolder(), 'dump');
    await writeFile(file, Buffer.alloc(bytes, 'x'));
    await store.putFile('a/1', file, never);
    await store.putText('a/2', '{}', never);
  });
}

test('a stop ends an upload in parts although the bucket has gone silent', { timeout: 20_000 }, async (t) => {
  fake.faults.silentParts = true;
  t.after(() => delete fake.faults.silentParts);
  const store = bucket('silent');
  const file = join(await temporaryFolder(), 'dump');
  await writeFile(file, Buffer.alloc(2 * PART));
  const stop = new AbortController();
  const begun = fake.requests.length;
  const upload = store.putFile('a/1', file, stop.signal);
  const rejected = assert.rejects(upload, /SIGTERM/);
  await eventually('a part is sent', () =>
    fake.requests.slice(begun).some((request) => request.includes('partNumber')),
  );
  stop.abort(new Error('SIGTERM'));
  await rejected;
});
