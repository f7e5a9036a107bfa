import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock, systemRandom } from '../../src/app/system-ports.ts';
import { createKubeClient } from '../../src/kube/http-client.ts';
import { createUndiciTransport } from '../../src/kube/undici-transport.ts';
import { answer, startH2Server } from '../support/h2-server.ts';
import { temporaryFolder, testAuthority } from '../support/openssl.ts';
import { recordingLogger, recordingMetrics } from '../support/silent-ports.ts';
import { WIDGETS, widget } from '../support/widgets.ts';

const authority = testAuthority(temporaryFolder({ after }), 'fault');

test('a GOAWAY in the middle of 40 requests loses none and repeats no write', async (t) => {
  const created: string[] = [];
  let seen = 0;
  let last = 0;
  let leaving: unknown;
  const server = await startH2Server(authority.issue('server'), authority.cert, (stream, headers) => {
    seen += 1;
    const id = stream.id ?? 0;
    if (seen === 15) {
      leaving = stream.session;
      last = id;
      stream.session?.goaway(0, last);
    }
    // What comes later on that session is not looked at, as the server has just said.
    if (stream.session === leaving && id > last) return;
    let body = '';
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => (body += part));
    stream.on('end', () => {
      if (headers[':method'] === 'POST') created.push(body);
      answer(stream, widget('a', '1'), 201);
    });
  });
  const ports = { clock: systemClock, random: systemRandom, log: recordingLogger(), metrics: recordingMetrics() };
  const credentials = { authorization: 'Bearer t', tls: { ca: authority.cert } };
  const connection = {
    server: server.url,
    description: 'test',
    namespace: undefined,
    credentials: () => Promise.resolve(credentials),
    invalidate: () => undefined,
  };
  const transport = createUndiciTransport({ connection, ...ports });
  t.after(async () => {
    await transport.close();
    await server.close();
  });
  const client = createKubeClient({ transport, userAgent: 'fault-test', ...ports });
  const { signal } = new AbortController();
  const requests = Array.from({ length: 40 }, (_, number) =>
    number % 2 === 0
      ? client.get(WIDGETS, { namespace: 'ns', name: 'a' }, { signal })
      : client.create(WIDGETS, widget(`w${number}`, ''), { signal }),
  );
  const settled = await Promise.allSettled(requests);
  assert.deepEqual(
    settled.filter(({ status }) => status === 'rejected'),
    [],
  );
  assert.equal(created.length, 20);
  assert.equal(new Set(created).size, 20);
});
