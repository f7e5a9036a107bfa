import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../../src/base/json.ts';
import type { IssuedPair } from '../../../src/certs/issue.ts';
import type { Script } from './situations.ts';

/** A webhook server that does what the last segment of the path says. */
export interface ScriptedServer {
  readonly port: number;
  close(): void;
}

const envelope = (response: object, apiVersion = 'admission.k8s.io/v1'): string =>
  JSON.stringify({ apiVersion, kind: 'AdmissionReview', response });
const patch = (operations: readonly object[]): string => Buffer.from(JSON.stringify(operations)).toString('base64');

type Answers = Readonly<Record<Exclude<Script, 'hang' | 'reset' | 'retry' | 'too-large'>, (uid: string) => string>>;

const ANSWERS: Answers = {
  allow: (uid) => envelope({ uid, allowed: true }),
  'wrong-uid': () => envelope({ uid: 'nope', allowed: true }),
  'wrong-version': (uid) => envelope({ uid, allowed: true }, 'admission.k8s.io/v1beta1'),
  'no-allowed': (uid) => envelope({ uid }),
  'patch-without-type': (uid) => envelope({ uid, allowed: true, patch: patch([]) }),
  'bad-base64': (uid) => envelope({ uid, allowed: true, patchType: 'JSONPatch', patch: '!!!' }),
  misfit: (uid) =>
    envelope({ uid, allowed: true, patchType: 'JSONPatch', patch: patch([{ op: 'remove', path: '/spec/absent' }]) }),
};

/** A mutator that comes after another one and changes something of its own, once. */
const later = (uid: string, labels: Readonly<Record<string, unknown>>): string => {
  if (labels['later'] !== undefined) return envelope({ uid, allowed: true });
  const operations = [{ op: 'add', path: '/metadata/labels/later', value: 'yes' }];
  return envelope({ uid, allowed: true, patchType: 'JSONPatch', patch: patch(operations) });
};

/** Starts it on loopback. */
export async function startScriptedServer({ certificate, key }: IssuedPair): Promise<ScriptedServer> {
  const seen = new Set<string>();
  const server = createServer({ cert: certificate, key }, (request, response) => {
    void textOf(request).then((text) => answer(request.url ?? '', text, response, seen));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(url: string, text: string, response: ServerResponse, seen: Set<string>): void {
  const script = new URL(url, 'https://x').pathname.split('/').at(-1) ?? '';
  // An AdmissionReview, as the API server sends it.
  const { uid, object } = JSON.parse(text).request as { readonly uid: string; readonly object: unknown };
  const reply = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void => {
    response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'text/plain', ...headers });
    response.end(body);
  };
  switch (script) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.destroy();
      return;
    case 'too-large':
      return reply(413, 'too large');
    case 'later':
      return reply(200, later(uid, labelsOf(object)));
    case 'retry':
      if (seen.has(uid)) return reply(200, ANSWERS.allow(uid));
      seen.add(uid);
      return reply(503, 'later', { 'retry-after': '1' });
    default:
      return reply(200, (Object.hasOwn(ANSWERS, script) ? ANSWERS[script as keyof Answers] : ANSWERS.allow)(uid));
  }
}

function labelsOf(object: unknown): Readonly<Record<string, unknown>> {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const labels = isRecord(metadata) ? metadata['labels'] : undefined;
  return isRecord(labels) ? labels : {};
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
