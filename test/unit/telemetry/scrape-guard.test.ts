import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import type { Manifest, Unstructured } from '../../../src/base/object.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { ScrapeGuard } from '../../../src/telemetry/scrape-guard.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLogger } from '../../support/silent-ports.ts';

const prometheus = { username: 'prometheus', uid: 'u1', groups: ['g'], extra: { scopes: ['x'] } };

/** An API server that knows the token `good`, and answers reviews only. */
function guarded(parts: { allowed?: boolean; fails?: string; answers?: Promise<void> } = {}) {
  const asked: Manifest[] = [];
  const create = async (_type: unknown, manifest: Manifest): Promise<Unstructured> => {
    asked.push(manifest);
    await parts.answers;
    if (manifest.kind === parts.fails) throw new Error(`${manifest.kind} is away`);
    const spec = isRecord(manifest['spec']) ? manifest['spec'] : {};
    const authenticated = spec['token'] === 'good';
    // Whatever is said of a user counts only where the token is his.
    const identity = { authenticated, user: prometheus };
    const status = manifest.kind === 'TokenReview' ? identity : { allowed: parts.allowed ?? true };
    return { ...manifest, status } as unknown as Unstructured;
  };
  const clock = new FakeClock();
  const log = recordingLogger();
  // Only `create` is asked for.
  const client = { create } as unknown as KubeClient;
  const guard = new ScrapeGuard({ client, clock, log, stop: new AbortController().signal });
  return { asked, clock, log, guard, judge: async (header?: string) => (await guard.judge(header)).type };
}

test('who is known and has the right may read', async () => {
  const { asked, judge } = guarded();
  assert.equal(await judge('Bearer good'), 'allowed');
  assert.deepEqual(
    asked.map((manifest) => [manifest.apiVersion, manifest.kind, manifest['spec']]),
    [
      ['authentication.k8s.io/v1', 'TokenReview', { token: 'good' }],
      [
        'authorization.k8s.io/v1',
        'SubjectAccessReview',
        {
          user: 'prometheus',
          uid: 'u1',
          groups: ['g'],
          extra: { scopes: ['x'] },
          nonResourceAttributes: { path: '/metrics', verb: 'get' },
        },
      ],
    ],
  );
});

test('no bearer token, or what cannot be one, is refused without a question', async () => {
  const { asked, judge } = guarded();
  const headers = [undefined, '', 'good', 'Basic good', 'Bearer', 'Bearer ', 'Bearer a b', 'Bearer "x"'];
  for (const header of [...headers, `Bearer ${'x'.repeat(8193)}`]) assert.equal(await judge(header), 'unauthenticated');
  assert.deepEqual(asked, []);
});

test('a token that the API server does not know is refused, and asked about once a minute', async () => {
  const { asked, clock, judge } = guarded();
  for (let round = 0; round < 3; round++) assert.equal(await judge('Bearer bad'), 'unauthenticated');
  assert.equal(asked.length, 1);
  await clock.advance(60_000);
  await judge('Bearer bad');
  assert.equal(asked.length, 2);
});

test('who lacks the right is refused by name and told what to bind', async () => {
  const { guard } = guarded({ allowed: false });
  assert.deepEqual(await guard.judge('bearer good'), {
    type: 'forbidden',
    sentence:
      'User "prometheus" may not get the URL /metrics; bind it to a ClusterRole that allows get on nonResourceURLs /metrics.',
  });
});

for (const [allowed, keptMs] of [
  [true, 300_000],
  [false, 30_000],
] as const) {
  test(`a right that is ${allowed ? 'held' : 'missing'} counts for ${keptMs / 1000} s`, async () => {
    const { asked, clock, judge } = guarded({ allowed });
    const rights = () => asked.filter(({ kind }) => kind === 'SubjectAccessReview').length;
    await judge('Bearer good');
    await clock.advance(keptMs - 1);
    await judge('Bearer good');
    assert.equal(rights(), 1);
    await clock.advance(1);
    await judge('Bearer good');
    assert.equal(rights(), 2);
  });
}

test('equal scrapes at one time are one question each', async () => {
  const { asked, judge } = guarded();
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => judge('Bearer good')));
  assert.deepEqual(new Set(verdicts), new Set(['allowed']));
  assert.equal(asked.length, 2);
});

for (const fails of ['TokenReview', 'SubjectAccessReview']) {
  test(`a ${fails} that fails lets nobody in, is logged once a minute without the token and tried again`, async () => {
    const { asked, clock, log, judge } = guarded({ fails });
    assert.equal(await judge('Bearer good'), 'unknown');
    assert.equal(await judge('Bearer good'), 'unknown');
    assert.equal(asked.filter(({ kind }) => kind === fails).length, 2);
    assert.equal(log.lines.length, 1);
    assert.match(String(log.lines[0]?.fields?.['err']), new RegExp(`${fails}.*is away.*create on`));
    await clock.advance(60_000);
    await judge('Bearer good');
    assert.equal(log.lines.length, 2);
    assert.ok(!JSON.stringify(log.lines).includes('good'));
  });
}

test('made-up tokens are asked about sixteen at a time, and known ones pass them', async () => {
  const answer = Promise.withResolvers<void>();
  const parts: { answers?: Promise<void> } = {};
  const { asked, guard, judge } = guarded(parts);
  await judge('Bearer good');
  parts.answers = answer.promise;
  const flood = Array.from({ length: 100 }, (_, index) => judge(`Bearer t${index}`));
  assert.equal(await judge('Bearer good'), 'allowed');
  assert.deepEqual(await guard.judge('Bearer other'), {
    type: 'unknown',
    sentence: 'Too many tokens are being asked about; try again.',
  });
  answer.resolve();
  const verdicts = await Promise.all(flood);
  assert.equal(verdicts.filter((verdict) => verdict === 'unauthenticated').length, 16);
  assert.equal(asked.length, 18);
});
