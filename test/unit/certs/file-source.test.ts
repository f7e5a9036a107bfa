import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ServingPair } from '../../../src/certs/certificate-source.ts';
import { FileSource } from '../../../src/certs/file-source.ts';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import type { PairFiles } from '../../../src/certs/serving-pair.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { temporaryFolder } from './temporary-folder.ts';

const DAY_MS = 86_400_000;
const NAME = 'homeostat.homeostat-system.svc';
const START = Date.UTC(2026, 0, 1);
const random = seededRandom(11);
const issueOptions = { random, now: START, validForMs: 90 * DAY_MS };
const authority = await issueAuthority('Test authority', issueOptions);
const issued = async (name = NAME): Promise<PairFiles> => ({
  ...(await issueServing(authority, [name], issueOptions)),
  authority: authority.certificate,
});
const [first, second, foreign] = await Promise.all([issued(), issued(), issued('other.svc')]);

let generation = 0;

/** Writes a generation and swaps `..data` to it, as the kubelet does; removes the one before. */
async function mount(directory: string, files: PairFiles): Promise<void> {
  generation += 1;
  const name = `..generation-${generation}`;
  await mkdir(join(directory, name));
  await writeFile(join(directory, name, 'tls.crt'), files.certificate);
  await writeFile(join(directory, name, 'tls.key'), files.key);
  if (files.authority !== undefined) await writeFile(join(directory, name, 'ca.crt'), files.authority);
  await symlink(name, join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  await rm(join(directory, `..generation-${generation - 1}`), { recursive: true, force: true });
}

async function started(t: TestContext, files?: PairFiles) {
  const directory = await temporaryFolder(t);
  if (files !== undefined) await mount(directory, files);
  const clock = new FakeClock(START);
  const log = recordingLogger();
  const metrics = recordingMetrics();
  const source = new FileSource({ directory, names: [NAME], clock, log, metrics });
  const stop = new AbortController();
  const running = source.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
  });
  const warnings = (): string[] =>
    log.lines.filter((line) => line.level === 'warn').map((line) => String(line.fields['problem']));
  return { directory, clock, source, metrics, stop, running, warnings };
}

const loaded = (source: FileSource): Promise<ServingPair> => eventually('a pair is loaded', () => source.current());

test('a mounted pair is loaded with its authority', async (t) => {
  const { source, metrics } = await started(t, first);
  const pair = await loaded(source);
  assert.equal(pair.certificate, first.certificate);
  assert.equal(pair.authority, authority.certificate);
  assert.equal(source.problem(), undefined);
  assert.equal(metrics.value('homeostat_tls_not_after_seconds'), (START + 90 * DAY_MS) / 1000);
  assert.equal(metrics.value('homeostat_tls_reload_total', { result: 'success' }), 1);
});

test('A31 R60 a swap of the link gives the new pair to the listeners', async (t) => {
  const { source, directory } = await started(t, first);
  const before = await loaded(source);
  const seen: string[] = [];
  source.onChange((pair) => seen.push(pair.certificate));
  await mount(directory, second);
  const after = await eventually(
    'the new pair',
    () => source.current()?.fingerprint !== before.fingerprint && source.current(),
  );
  assert.equal(after.certificate, second.certificate);
  assert.deepEqual(seen, [second.certificate]);
});

test('A36 a source without files says so, and recovers when the Secret appears', async (t) => {
  const { source, directory } = await started(t);
  const problem = await eventually(
    'the files are missed',
    () => source.problem()?.includes('no tls.crt') === true && source.problem(),
  );
  assert.match(problem, /must exist and be mounted there as a directory/);
  await mount(directory, first);
  await loaded(source);
  assert.equal(source.problem(), undefined);
});

test('a folder that cannot be watched is looked at every 10 s', async (t) => {
  const directory = join(await temporaryFolder(t), 'later');
  const clock = new FakeClock(START);
  const options = { directory, names: [NAME], clock, log: recordingLogger(), metrics: recordingMetrics() };
  const source = new FileSource(options);
  const stop = new AbortController();
  const running = source.run(stop.signal);
  await eventually('the files are missed', () => source.problem()?.includes('no tls.crt'));
  await mkdir(directory);
  await mount(directory, first);
  await eventually('the pair', async () => {
    await clock.advance(10_000);
    return source.current();
  });
  stop.abort();
  await running;
});

test('A36 R60 a pair that cannot be used leaves the last good one in place and is reported once', async (t) => {
  const { source, directory, metrics, warnings, clock } = await started(t, first);
  const before = await loaded(source);
  await mount(directory, { certificate: second.certificate, key: first.key });
  await eventually('the refusal', () => warnings().length > 0);
  await clock.advance(60_000);
  assert.equal(source.current()?.fingerprint, before.fingerprint);
  assert.equal(source.problem(), undefined);
  assert.equal(warnings().length, 1);
  assert.match(warnings()[0] ?? '', /does not belong/);
  assert.equal(metrics.value('homeostat_tls_reload_total', { result: 'refused' }), 1);
});

test('A36 a file that is cut off leaves the last good pair in place until it is whole', async (t) => {
  const { source, directory, warnings } = await started(t, first);
  const before = await loaded(source);
  await mount(directory, { certificate: second.certificate.slice(0, 200), key: second.key });
  await eventually('the refusal', () => warnings().length > 0);
  assert.equal(source.current()?.fingerprint, before.fingerprint);
  await mount(directory, second);
  await eventually('the new pair', () => source.current()?.certificate === second.certificate);
});

test('a certificate for another service is not taken', async (t) => {
  const { source } = await started(t, foreign);
  const problem = await eventually(
    'the refusal',
    () => source.problem()?.includes('not valid') === true && source.problem(),
  );
  assert.match(problem, /is not valid for homeostat\.homeostat-system\.svc, only for other\.svc/);
  assert.equal(source.current(), undefined);
});

test('a pair that expires while it is served makes the source unready', async (t) => {
  const { source, clock } = await started(t, first);
  await loaded(source);
  clock.jumpWall(91 * DAY_MS);
  assert.match(source.problem() ?? '', /expired at/);
  assert.notEqual(source.current(), undefined);
});

test('the end of a pair that nears is warned of once', async (t) => {
  const { source, clock, warnings } = await started(t, first);
  await loaded(source);
  clock.jumpWall(89.5 * DAY_MS);
  await eventually('the warning', async () => {
    await clock.advance(10_000);
    return warnings().length > 0;
  });
  await clock.advance(60_000);
  assert.equal(warnings().length, 1);
});

test('a stopped source leaves no timer behind', async (t) => {
  const { source, stop, running, clock } = await started(t, first);
  await loaded(source);
  stop.abort();
  await running;
  assert.equal(clock.pendingTimers, 0);
});

test('a listener that left hears nothing', async (t) => {
  const { source, directory } = await started(t, first);
  await loaded(source);
  const seen: string[] = [];
  source.onChange((pair) => seen.push(pair.fingerprint))();
  await mount(directory, second);
  await eventually('the new pair', () => source.current()?.certificate === second.certificate);
  assert.deepEqual(seen, []);
});

test('a chain that changes around the same leaf is loaded', async (t) => {
  const { source, directory } = await started(t, first);
  const before = await loaded(source);
  await mount(directory, { ...first, certificate: first.certificate + authority.certificate });
  const after = await eventually(
    'the longer chain',
    () => source.current()?.certificate !== before.certificate && source.current(),
  );
  assert.equal(after.fingerprint, before.fingerprint);
});

test('A48 the end of a pair is warned of 14 days before, not earlier, and is a metric throughout', async (t) => {
  const { source, clock, metrics, warnings } = await started(t, first);
  await loaded(source);
  clock.jumpWall(75 * DAY_MS);
  await clock.advance(20_000);
  assert.equal(warnings().length, 0);
  clock.jumpWall(1.1 * DAY_MS);
  await eventually('the warning', async () => {
    await clock.advance(10_000);
    return warnings().length > 0;
  });
  assert.equal(metrics.value('homeostat_tls_not_after_seconds'), (START + 90 * DAY_MS) / 1000);
});
