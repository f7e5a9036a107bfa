import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureDevelopmentCertificates } from '../../../src/certs/development-certificates.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryFolder } from './temporary-folder.ts';

const DAY_MS = 86_400_000;
const NAMES = ['homeostat.homeostat-system.svc', 'localhost'];

const made = async (directory: string, clock: FakeClock, names = NAMES) =>
  ensureDevelopmentCertificates({ directory, names, clock, random: seededRandom(clock.now()) });

test('an empty folder gets an authority and a leaf, keys for the owner alone', async (t) => {
  const directory = join(await temporaryFolder(t), 'deep', 'certs');
  const result = await made(directory, new FakeClock());
  assert.equal(result.made, 'authority and leaf');
  assert.equal(result.authority, await readFile(join(directory, 'ca.crt'), 'utf8'));
  for (const key of ['ca.key', 'tls.key']) assert.equal((await stat(join(directory, key))).mode & 0o777, 0o600);
});

test('what is there and good is used again', async (t) => {
  const directory = await temporaryFolder(t);
  const clock = new FakeClock();
  const first = await made(directory, clock);
  const leaf = await readFile(join(directory, 'tls.crt'), 'utf8');
  assert.deepEqual(await made(directory, clock), { authority: first.authority, made: 'nothing' });
  assert.equal(await readFile(join(directory, 'tls.crt'), 'utf8'), leaf);
});

test('another name makes a new leaf under the same authority', async (t) => {
  const directory = await temporaryFolder(t);
  const clock = new FakeClock();
  const first = await made(directory, clock);
  assert.deepEqual(await made(directory, clock, [...NAMES, 'other.svc']), {
    authority: first.authority,
    made: 'leaf',
  });
});

test('a leaf that ends within 30 days is made anew', async (t) => {
  const directory = await temporaryFolder(t);
  const clock = new FakeClock();
  await made(directory, clock);
  clock.jumpWall(336 * DAY_MS);
  assert.equal((await made(directory, clock)).made, 'leaf');
});

test('a broken authority is replaced together with the leaf it signed', async (t) => {
  const directory = await temporaryFolder(t);
  const clock = new FakeClock();
  await made(directory, clock);
  await writeFile(join(directory, 'ca.crt'), 'garbage');
  assert.equal((await made(directory, clock)).made, 'authority and leaf');
});

test('a folder that cannot be made is named', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  await assert.rejects(made(join(file, 'certs'), new FakeClock()), {
    code: 'HOMEOSTAT_CERTIFICATE_UNWRITABLE',
    message: new RegExp(`cannot be written to ${file}/certs`),
  });
});
