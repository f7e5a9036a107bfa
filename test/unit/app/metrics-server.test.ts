import assert from 'node:assert/strict';
import { request } from 'node:https';
import { type TestContext, test } from 'node:test';
import { createMetricsServer } from '../../../src/app/metrics-server.ts';
import type { ScrapeVerdict } from '../../../src/telemetry/scrape-guard.ts';
import { recordingLogger } from '../../support/silent-ports.ts';
import { authority, firstPair, HandSource, SERVER_NAME, secondPair } from '../admission/tls-server.ts';

const METRICS = { contentType: 'text/plain', render: () => Promise.resolve('up 1\n') };

/** A protected server whose guard lets `Bearer good` in and gives everybody else one verdict. */
async function protectedServer(t: TestContext, verdict: ScrapeVerdict = { type: 'allowed' }) {
  const certificates = new HandSource();
  const judged: (string | undefined)[] = [];
  const judge = (authorization: string | undefined): Promise<ScrapeVerdict> => {
    judged.push(authorization);
    return Promise.resolve(verdict);
  };
  const server = createMetricsServer({
    ...METRICS,
    access: { certificates, guard: { judge }, log: recordingLogger() },
  });
  t.after(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { certificates, judged, port };
}

function scrape(port: number, options: { method?: string; path?: string; body?: string } = {}) {
  const { method = 'GET', path = '/metrics', body } = options;
  const trust = { ca: authority.certificate, servername: SERVER_NAME, agent: false } as const;
  const headers = {
    authorization: 'Bearer good',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise<{ code: number; challenge: string | undefined; text: string; serial: string }>(
    (resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, method, headers, ...trust }, (answer) => {
        const { socket } = answer;
        const serial = 'getPeerX509Certificate' in socket ? fingerprintOf(socket) : '';
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => void (text += part));
        answer
          .on('error', reject)
          .on('end', () =>
            resolve({ code: answer.statusCode ?? 0, challenge: answer.headers['www-authenticate'], text, serial }),
          );
      });
      call.on('error', reject).end(body);
    },
  );
}

/** What the connection was made with. */
function fingerprintOf(socket: object): string {
  // The socket of an HTTPS request is a TLS socket.
  return (socket as { getPeerX509Certificate(): { fingerprint256: string } }).getPeerX509Certificate().fingerprint256;
}

test('metrics go over TLS to whom the guard lets in, with the certificate of the moment', async (t) => {
  const { certificates, judged, port } = await protectedServer(t);
  await assert.rejects(scrape(port), { code: /ECONNRESET|EPROTO|ERR_SSL/ });
  certificates.turn(firstPair);
  const { code, text, serial } = await scrape(port);
  assert.deepEqual([code, text, serial], [200, 'up 1\n', firstPair.fingerprint]);
  certificates.turn(secondPair);
  assert.equal((await scrape(port)).serial, secondPair.fingerprint);
  assert.deepEqual(judged, ['Bearer good', 'Bearer good']);
});

for (const [type, expected, challenge] of [
  ['unauthenticated', 401, 'Bearer'],
  ['forbidden', 403, undefined],
  ['unknown', 503, undefined],
] as const) {
  test(`who is ${type} gets ${expected}, a sentence and no metrics`, async (t) => {
    const { certificates, port } = await protectedServer(t, { type, sentence: 'Because.' });
    certificates.turn(firstPair);
    const answer = await scrape(port);
    assert.deepEqual([answer.code, answer.challenge, answer.text], [expected, challenge, 'Because.\n']);
  });
}

test('anything but the one GET is not found, and a large body is not read', async (t) => {
  const { certificates, judged, port } = await protectedServer(t);
  certificates.turn(firstPair);
  assert.equal((await scrape(port, { path: '/' })).code, 404);
  assert.equal((await scrape(port, { method: 'POST', body: JSON.stringify('x'.repeat(2000)) })).code, 413);
  assert.deepEqual(judged, []);
});
