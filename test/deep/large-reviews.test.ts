import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { kinds } from '../../src/kinds/index.ts';
import { authority, listening } from '../unit/admission/tls-server.ts';

const MEBIBYTE = 1024 * 1024;
const LARGE_REVIEWS = 20;
const LEVELS = 5;
const KEYS = 10_000;

const hooks = kinds.flatMap((kind) => kind.hooks);
const hook = hooks.find(({ name }) => name === 'validate.environments.homeostat.io') ?? assert.fail('no hook');

/** The review of an Environment with this spec and annotation. */
function reviewOf(spec: object, note: string): string {
  const { group, version, kind, plural } = hook.type;
  const metadata = { name: 'large', namespace: 'team-a', annotations: { note } };
  const request = {
    uid: 'large',
    operation: 'CREATE',
    resource: { group, version, resource: plural },
    namespace: 'team-a',
    name: 'large',
    userInfo: { username: 'eve', groups: [] },
    object: { apiVersion: `${group}/${version}`, kind, metadata, spec },
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

/** Levels of maps, each with as many keys as the last. */
function deep(levels: number): object {
  const keys = Array.from({ length: KEYS }, (_, index) => [`k${index}.example.org/x`, 'v'] as const);
  return { ...Object.fromEntries(keys), ...(levels === 1 ? {} : { below: deep(levels - 1) }) };
}

/** Milliseconds that a probe in this process takes. */
async function probeMs(port: number): Promise<number> {
  const startMs = performance.now();
  await new Promise<void>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (answer) => void answer.resume().on('end', resolve)).on(
      'error',
      reject,
    );
  });
  return performance.now() - startMs;
}

test('B-51 large reviews hold neither the event loop nor the probes', async (t) => {
  const { port } = await listening(t, { slices: kinds, hooks });
  const health = createServer((_request, response) => void response.end('ok')).listen(0, '127.0.0.1');
  t.after(() => health.close());
  await once(health, 'listening');
  // A TCP server that listens.
  const { port: healthPort } = health.address() as AddressInfo;
  const bodies = [
    ...Array.from({ length: LARGE_REVIEWS }, () => reviewOf({}, 'x'.repeat(3 * MEBIBYTE))),
    reviewOf({ namespaceLabels: deep(1), networkPolicies: deep(LEVELS) }, ''),
  ];
  const send = async (sent: readonly string[]): Promise<readonly number[]> => {
    const workerData = { port, path: `${hook.path}?timeout=5s`, bodies: sent, ca: authority.certificate };
    const client = new Worker(new URL('./large-review-client.ts', import.meta.url), { workerData, stdout: true });
    // Written by the client.
    return JSON.parse(await text(client.stdout)) as readonly number[];
  };
  await send([reviewOf({}, '')]);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const done = { yet: false };
  const answered = send(bodies).finally(() => {
    done.yet = true;
  });
  const probes: number[] = [];
  while (!done.yet) probes.push(await probeMs(healthPort));
  delay.disable();
  const statuses = await answered;
  t.diagnostic(
    `event loop p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms, slowest of ${probes.length} probes ${Math.max(...probes).toFixed(0)} ms, answers ${[...new Set(statuses)].join(', ')}`,
  );
  // What does not fit beside the others is shed at once, which frees the API server's request.
  assert.ok(statuses.every((status) => status === 200 || status === 503));
  assert.ok(statuses.filter((status) => status === 200).length >= 10);
  assert.ok(delay.percentile(99) < 200e6);
  assert.ok(Math.max(...probes) < 1000);
});
