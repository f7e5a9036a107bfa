import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import type { ObjectKey, ResourceType } from '../../../src/base/resource.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { CsrSource } from '../../../src/certs/csr-source.ts';
import { type IssuedPair, issueAuthority } from '../../../src/certs/issue.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../src/kube/well-known.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { refusal } from '../../support/memory-api.ts';
import { ScriptedClient } from '../../support/scripted-client.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { signCertificateRequest } from '../../support/sign-certificate-request.ts';
import { type LogLine, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { temporaryFolder } from './temporary-folder.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const SIGNER = 'example.com/webhook-serving';
const NAME = 'homeostat-webhook.default.svc';
const issueOptions = { random: seededRandom(3), now: START - DAY_MS, validForMs: 365 * DAY_MS };
const [trusted, other] = await Promise.all(['one', 'two'].map((name) => issueAuthority(name, issueOptions)));
assert.ok(trusted !== undefined && other !== undefined);

/** An API server that holds signing requests and lets none be watched. */
class RequestStore {
  readonly signing = new Map<string, Unstructured>();

  readonly #create = (type: ResourceType, object: Manifest): Promise<Unstructured> => {
    assert.equal(type, CERTIFICATE_SIGNING_REQUESTS);
    const stored = { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' } };
    this.signing.set(object.metadata.name, stored);
    return Promise.resolve(stored);
  };

  readonly #get = (type: ResourceType, key: ObjectKey): Promise<Unstructured> => {
    const found = this.signing.get(key.name);
    return found === undefined
      ? Promise.reject(refusal('get', type, key, { code: 404, reason: 'NotFound' }))
      : Promise.resolve(found);
  };

  readonly #watch = (): Promise<never> => Promise.reject(new Error('no watch'));

  client(): KubeClient {
    return Object.assign(new ScriptedClient(), { create: this.#create, get: this.#get, watch: this.#watch });
  }

  get last(): Unstructured | undefined {
    return [...this.signing.values()].at(-1);
  }

  /** Sets the status of the newest request. */
  answer(status: object): void {
    assert.ok(this.last !== undefined);
    this.signing.set(this.last.metadata.name, { ...this.last, status });
  }

  sign(authority: IssuedPair, now: number, lifeMs: number): void {
    // A CertificateSigningRequest, as created.
    const { request } = this.last?.['spec'] as { readonly request: string };
    const pem = Buffer.from(request, 'base64').toString();
    const certificate = signCertificateRequest(pem, { authority, notBefore: now, notAfter: now + lifeMs });
    this.answer({ conditions: [condition('Approved')], certificate: Buffer.from(certificate).toString('base64') });
  }
}

const condition = (type: string, message = '') => ({ type, status: 'True', reason: 'Because', message });

async function started(t: TestContext) {
  const authorityFile = join(await temporaryFolder(t), 'ca.crt');
  await writeFile(authorityFile, trusted?.certificate ?? '');
  const clock = new FakeClock(START);
  const store = new RequestStore();
  const lines: LogLine[] = [];
  const metrics = recordingMetrics();
  const ports = { clock, random: seededRandom(5), log: recordingLogger(lines), metrics };
  const names = [NAME];
  const source = new CsrSource({
    ...ports,
    client: store.client(),
    signer: SIGNER,
    authorityFile,
    names,
    validForMs: 90 * DAY_MS,
  });
  const stop = new AbortController();
  const running = source.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });
  const until = <T>(what: string, probe: () => T | undefined | false, stepMs = 1000) =>
    eventually(
      what,
      async () => {
        await clock.advance(stepMs);
        return probe();
      },
      { intervalMs: 5 },
    );
  const requested = (count = 1) => until('a request', () => store.signing.size === count && store.last);
  return { source, store, clock, lines, metrics, until, requested, authorityFile };
}

test('a request names the signer, the usages of a server and the life asked for', async (t) => {
  const { requested } = await started(t);
  const { spec } = (await requested()) as unknown as { readonly spec: Readonly<Record<string, unknown>> };
  assert.equal(spec['signerName'], SIGNER);
  assert.deepEqual(spec['usages'], ['digital signature', 'key encipherment', 'server auth']);
  assert.equal(spec['expirationSeconds'], 90 * 24 * 3600);
});

test('while nobody approves, the way to approve is told once and keeps the source unready', async (t) => {
  const { source, store, requested, until, clock, lines } = await started(t);
  await requested();
  await until('the wait', () => source.problem()?.includes('waits for approval'));
  assert.match(source.problem() ?? '', /kubectl certificate approve homeostat-webhook-/);
  for (let minute = 0; minute < 10; minute++) await clock.advance(60_000);
  assert.equal(lines.length, 1);
  store.answer({ conditions: [condition('Approved')] });
  await until('the signer', () => source.problem()?.includes(`is approved and waits for signer ${SIGNER}`));
  assert.equal(lines.length, 2);
});

test('what the signer gives is served, with the authorities of the file', async (t) => {
  const { source, store, requested, until, clock } = await started(t);
  await requested();
  store.sign(trusted, clock.now(), 90 * DAY_MS);
  const pair = await until('a pair', () => source.current());
  assert.deepEqual(pair.names, [NAME]);
  assert.equal(pair.authority, trusted.certificate);
  assert.equal(source.problem(), undefined);
  assert.equal(source.renewal(), undefined);
});

for (const [type, words] of [
  ['Denied', 'was denied'],
  ['Failed', 'failed'],
] as const) {
  test(`a request that ${words} is told with its reason, and asked again after ten minutes`, async (t) => {
    const { source, store, requested, until, clock, lines } = await started(t);
    await requested();
    store.answer({ conditions: [condition(type, 'not on\nmy watch')] });
    await until('the end', () => source.problem()?.includes(`${words} (Because: not on my watch)`));
    assert.equal(lines.filter(({ level }) => level === 'warn').length, 1);
    await clock.advance(8 * 60_000);
    assert.equal(store.signing.size, 1);
    await requested(2);
  });
}

test('a certificate of another authority is refused and the reason told', async (t) => {
  const { source, store, requested, until, clock, metrics } = await started(t);
  await requested();
  store.sign(other, clock.now(), 90 * DAY_MS);
  await until('the refusal', () => source.problem()?.includes('does not verify under the authorities'));
  assert.equal(source.current(), undefined);
  assert.equal(metrics.value('homeostat_tls_reload_total', { result: 'refused' }), 1);
});

test('at two thirds of its life the next certificate is asked for, and the present one serves on', async (t) => {
  const { source, store, requested, until, clock } = await started(t);
  await requested();
  store.sign(trusted, clock.now(), 90 * DAY_MS);
  const first = await until('a pair', () => source.current()?.fingerprint);
  clock.jumpWall(59 * DAY_MS);
  await clock.advance(60_000);
  assert.equal(store.signing.size, 1);
  clock.jumpWall(2 * DAY_MS);
  await requested(2);
  await until('the wait', () => source.renewal()?.includes('waits for approval'));
  assert.equal(source.problem(), undefined);
  assert.equal(source.current()?.fingerprint, first);
  store.sign(trusted, clock.now(), 90 * DAY_MS);
  await until('the next pair', () => source.current()?.fingerprint !== first);
});

test('authorities that no longer cover the pair have the next one asked for at once', async (t) => {
  const { source, store, requested, until, clock, authorityFile } = await started(t);
  await requested();
  store.sign(trusted, clock.now(), 90 * DAY_MS);
  await until('a pair', () => source.current());
  await writeFile(authorityFile, trusted.certificate + other.certificate);
  await until('the file to be followed', () => source.current()?.authority?.includes(other.certificate), 10_000);
  assert.equal(store.signing.size, 1);
  await writeFile(authorityFile, other.certificate);
  await requested(2);
});

test('a request that was deleted is made again', async (t) => {
  const { store, requested, until } = await started(t);
  const { metadata } = await requested();
  store.signing.clear();
  await until('another', () => store.last !== undefined && store.last.metadata.name !== metadata.name);
});

test('a missing file of authorities is named', async (t) => {
  const { source, until, authorityFile, store, requested, clock } = await started(t);
  await requested();
  await rm(authorityFile);
  // The request is answered only now: a look that has read the file before could take the pair without it.
  await until('the file', () => source.problem()?.includes('render the manifests with --csr-ca-file'));
  store.sign(trusted, clock.now(), 90 * DAY_MS);
  await writeFile(authorityFile, trusted.certificate);
  await until('a pair', () => source.current());
});

test('between a denial and the next request it is looked as seldom as at any other time', async (t) => {
  const { store, clock, until, requested, lines } = await started(t);
  await requested();
  store.answer({ conditions: [condition('Denied', 'no')] });
  await until('the denial', () => lines.some(({ level }) => level === 'warn'));
  const delays: number[] = [];
  const { setTimer } = clock;
  t.mock.method(clock, 'setTimer', (delayMs: number, callback: () => void) => {
    delays.push(delayMs);
    return setTimer.call(clock, delayMs, callback);
  });
  await until('the next look', () => delays.length > 0, 60_000);
  assert.ok(
    delays.every((delayMs) => delayMs >= 1000),
    delays.join(),
  );
});
