import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedCall } from '../../../src/cli/failed-call.ts';
import { firstDifference } from '../../../src/cli/manifest-difference.ts';
import { waitUntilWell } from '../../../src/cli/verify.ts';
import { type Finding, firstBroken } from '../../../src/cli/verify-finding.ts';
import { findingLines } from '../../../src/cli/verify-report.ts';
import { FakeClock } from '../../../src/testkit/fake-clock.ts';
import { untilSettled } from '../../support/until-settled.ts';

const finding = (joint: Finding['joint'], state: Finding['state']): Finding => ({
  joint,
  subject: 'Thing',
  state,
  text: 'It is so',
  ...(state === 'broken' ? { remedy: 'Mend it' } : {}),
});

const WELL = [finding('definitions', 'well')];
const BROKEN = [finding('service', 'broken')];

const plain = { style: (_style: string, text: string): string => text };

/** Waits on looks that give these in turn, the last one again and again. */
async function wait(
  looks: readonly (readonly Finding[] | Error)[],
  timeoutMs = 60_000,
): Promise<{ readonly found: readonly Finding[]; readonly told: readonly string[]; readonly count: number }> {
  const [clock, told] = [new FakeClock(), [] as string[]];
  let count = 0;
  const look = async (): Promise<readonly Finding[]> => {
    const next = looks[Math.min(count++, looks.length - 1)] ?? [];
    if (next instanceof Error) throw next;
    return Promise.resolve(next);
  };
  const { signal } = new AbortController();
  const waiting = waitUntilWell(look, { clock, timeoutMs, signal, tell: (line) => void told.push(line) });
  const found = await untilSettled(waiting, () => clock.advance(1000));
  return { found, told, count };
}

test('the joint that others rest on is named first', () => {
  const findings = [finding('answers', 'broken'), finding('leader', 'broken'), finding('certificate', 'broken')];
  assert.equal(firstBroken(findings)?.joint, 'certificate');
  assert.equal(findingLines(findings, plain).at(-1), 'Broken: certificate. Thing: It is so. Mend it.');
});

test('what cannot be seen from here breaks nothing', () => {
  assert.equal(findingLines([finding('service', 'unseen')], plain).at(-1), 'All is well.');
});

test('a wait ends when all was well twice in a row', async () => {
  const { found, count, told } = await wait([BROKEN, WELL, BROKEN, WELL, WELL]);
  assert.deepEqual([found, count], [WELL, 5]);
  assert.equal(told.length, 2);
});

test('a wait says once what it waits for', async () => {
  const { told } = await wait([BROKEN, BROKEN, BROKEN, WELL, WELL]);
  assert.deepEqual(told, ['Broken: service. Thing: It is so. Mend it.']);
});

test('an API server that does not answer is waited for', async () => {
  const { found, told } = await wait([new Error('connection refused'), WELL, WELL]);
  assert.deepEqual([found, told], [WELL, ['connection refused']]);
});

test('a wait ends with what is broken when its time is over', async () => {
  const { found, count } = await wait([BROKEN], 3000);
  assert.deepEqual([found, count], [BROKEN, 4]);
});

test('a wait whose last look fails fails as that look did', async () => {
  await assert.rejects(wait([new Error('connection refused')], 2000), /connection refused/);
});

test('what the API server adds is no difference, what it lacks or has otherwise is one', () => {
  assert.equal(firstDifference({ a: { b: [1] }, empty: [] }, { a: { b: [1], c: 2 } }), undefined);
  assert.equal(firstDifference({ a: { b: [1] } }, { a: { b: [1, 2] } }), 'a.b');
  assert.equal(firstDifference({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }), 'a[0].b');
  assert.equal(firstDifference({ a: { b: 1 } }, {}), 'a');
});

test('a call that failed is told by its cause', () => {
  const said = (rest: string): string | undefined =>
    failedCall(`Internal error occurred: failed calling webhook "validate.x": failed to call webhook: ${rest}`)?.text;
  assert.match(said('tls: failed to verify certificate: x509: unknown authority') ?? '', /does not trust/);
  assert.match(said('x509: certificate has expired or is not yet valid') ?? '', /out of date/);
  assert.match(said('Post "https://a": dial tcp 10.0.0.1:443: connect: connection refused') ?? '', /nobody answers/);
  assert.match(said('context deadline exceeded') ?? '', /no answer in time/);
  assert.match(said('something new') ?? '', /something new/);
  assert.equal(failedCall('environments.homeostat.io "a" is invalid'), undefined);
});
