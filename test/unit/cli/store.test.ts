import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readBackupReport } from '../../../src/base/backup-report.ts';
import { commandLine, temporaryFolder } from './commands.ts';

const folder = await temporaryFolder();
const dump = join(folder, 'dump');
const report = join(folder, 'report');
await writeFile(dump, gzipSync('SELECT 1;'));
let stores = 0;

/** The words that name a new store. */
async function newStore(): Promise<readonly string[]> {
  const store = join(folder, `store-${++stores}`);
  await mkdir(store);
  return ['--store', `file://${store}`, '--folder', 'team-a/orders/1a2b3c4d'];
}

async function upload(store: readonly string[], startedAt: string, ...more: readonly string[]) {
  const started = join(folder, 'started');
  await writeFile(started, `${Date.parse(startedAt) / 1000}\n`);
  const what = [
    '--file',
    dump,
    '--started-file',
    started,
    '--engine',
    'mysql',
    '--database',
    'orders',
    '--job',
    'orders-1',
  ];
  return commandLine('store', 'upload', ...store, ...what, '--report', report, ...more);
}

function keep(days: number): readonly string[] {
  return ['--retention-days', `${days}`, '--minimum-to-keep', '3'];
}

test('upload, list, verify and restore work on one store', async () => {
  const store = await newStore();
  const uploaded = await upload(store, '2026-01-31T03:30:00Z', ...keep(30));
  assert.equal(uploaded.code, 0, uploaded.err.join('\n'));
  const told = readBackupReport(await readFile(report, 'utf8'));
  assert.equal(told.backup?.sizeBytes, (await readFile(dump)).length);
  assert.match(told.backup?.location ?? '', /store-1\/team-a\/orders\/1a2b3c4d\/20260131T033000Z-orders-1\.dump$/);
  assert.deepEqual([told.purge?.reason, told.purge?.kept], ['NothingExpired', 1]);
  const { out } = await commandLine('store', 'list', ...store);
  assert.match(
    out.join('\n'),
    /^2026-01-31T03:30:00Z\t29\tteam-a\/orders\/1a2b3c4d\/20260131T033000Z-orders-1\tmysql orders$/,
  );
  assert.equal((await commandLine('store', 'verify', ...store)).code, 0);
  const restored = join(folder, 'restored');
  assert.equal((await commandLine('store', 'restore', ...store, '--file', restored)).code, 0);
  assert.deepEqual(await readFile(restored), await readFile(dump));
  assert.equal((await stat(restored)).mode & 0o077, 0);
});

test('retention is applied after a backup, and by a purge alone', async () => {
  const store = await newStore();
  for (const day of ['01', '02', '20']) await upload(store, `2020-01-${day}T00:00:00Z`, ...keep(60));
  await upload(store, '2020-01-30T00:00:00Z', '--retention-days', '28', '--minimum-to-keep', '2');
  assert.equal(readBackupReport(await readFile(report, 'utf8')).purge?.purged, 1);
  const purged = await commandLine(
    'store',
    'purge',
    ...store,
    '--retention-days',
    '1',
    '--minimum-to-keep',
    '1',
    '--report',
    report,
  );
  assert.deepEqual([purged.code, readBackupReport(await readFile(report, 'utf8')).purge?.kept], [0, 1]);
});

test('a purge on its own deletes nothing while the newest backup cannot be read', async () => {
  const store = await newStore();
  for (const day of ['01', '20']) await upload(store, `2020-01-${day}T00:00:00Z`, ...keep(3650));
  const place = join(folder, `store-${stores}`, 'team-a/orders/1a2b3c4d');
  await writeFile(join(place, '20200120T000000Z-orders-1.dump'), 'x'.repeat(29));
  const { code, err } = await commandLine(
    'store',
    'purge',
    ...store,
    '--retention-days',
    '1',
    '--minimum-to-keep',
    '1',
  );
  assert.equal(code, 1);
  assert.match(
    err.join('\n'),
    /NewestUnreadable: The newest backup, 20200120T000000Z-orders-1, is not what its manifest promises/,
  );
  assert.equal((await readdir(place)).length, 4);
  assert.equal((await commandLine('store', 'verify', ...store)).code, 1);
});

test('where the bucket purges, nothing is looked at', async () => {
  const store = await newStore();
  await upload(store, '2020-01-01T00:00:00Z', '--no-purge', ...keep(1));
  assert.equal(readBackupReport(await readFile(report, 'utf8')).purge?.reason, 'LeftToBucket');
});

test('nothing goes by a retention that nobody gave', async () => {
  const store = await newStore();
  for (const day of ['01', '02', '03', '04', '05']) await upload(store, `2020-01-${day}T00:00:00Z`);
  await upload(store, '2026-01-01T00:00:00Z');
  const told = readBackupReport(await readFile(report, 'utf8')).purge;
  assert.deepEqual([told?.reason, told?.purged], ['LeftToBucket', 0]);
  for (const half of [[], ['--retention-days', '1'], ['--minimum-to-keep', '1']]) {
    const { code, err } = await commandLine('store', 'purge', ...store, ...half);
    assert.equal(code, 2);
    assert.match(err.join('\n'), /--retention-days and --minimum-to-keep/);
  }
  assert.equal((await commandLine('store', 'list', ...store)).out.length, 6);
});

test('everything goes when asked for by name', async () => {
  const store = await newStore();
  await upload(store, '2027-01-01T00:00:00Z');
  assert.equal((await commandLine('store', 'purge', ...store, '--everything')).code, 0);
  assert.match((await commandLine('store', 'list', ...store)).err.join('\n'), /^No backup below /);
});

for (const [what, argv, says] of [
  ['no task', [], /needs one of upload, verify, list, purge, restore/],
  ['an unknown task', ['download'], /got "download"/],
  ['no store', ['list', '--folder', 'a'], /needs --store/],
  ['no folder', ['list', '--store', 'file:///tmp'], /needs --folder/],
  [
    'a moment that is none',
    ['restore', '--store', 'file:///tmp', '--folder', 'none', '--file', 'x', '--at', 'noon'],
    /--at: "noon"/,
  ],
] as const) {
  test(`${what} is a misunderstanding`, async () => {
    const { code, err } = await commandLine('store', ...argv);
    assert.equal(code, 2);
    assert.match(err.join('\n'), says);
  });
}

test('a report that is cut off or comes from somebody else tells nothing', () => {
  for (const text of ['', '{"backup":', '[]', '{"backup":{"location":1}}', '{"purge":{"reason":"Sold"}}']) {
    assert.deepEqual(readBackupReport(text), {});
  }
});

test('a folder above those of several databases restores none of them: the newest may be of another', async () => {
  const store = await newStore();
  await upload(store, '2027-01-01T00:00:00Z');
  const [flag, url] = store;
  const at = (path: string): readonly string[] => [flag ?? '', url ?? '', '--folder', path];
  await upload(at('team-a/billing/99999999'), '2027-01-02T00:00:00Z');
  const file = join(folder, 'of-whom');
  const { code, err } = await commandLine('store', 'restore', ...at('team-a'), '--file', file);
  assert.equal(code, 2);
  assert.match(err.join('\n'), /several databases, team-a\/billing\/, team-a\/orders\/; name one of these/);
  assert.equal((await commandLine('store', 'restore', ...at('team-a/orders'), '--file', file)).code, 0);
});
