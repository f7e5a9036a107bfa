import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonicalJson, isRecord } from '../../src/base/json.ts';
import type { KeyPair } from '../support/openssl.ts';

type Answer = (uid: string, request: Readonly<Record<string, unknown>>) => Partial<Reply>;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const review = (response: object, type: object = {}): Partial<Reply> => ({
  body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', ...type, response },
});
const base64 = (patch: unknown): string => Buffer.from(JSON.stringify(patch)).toString('base64');
const patched =
  (patch: unknown): Answer =>
  (uid) =>
    review({ uid, allowed: true, patchType: 'JSONPatch', patch: base64(patch) });
const plain =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  () => ({ status, headers: { 'content-type': 'text/plain', ...headers }, body: 'some text' });

const DENIAL = {
  code: 422,
  reason: 'Invalid',
  message: 'ConfigMap "x" is invalid: data.k: Invalid value: "1": must be 2',
  details: {
    name: 'x',
    kind: 'ConfigMap',
    causes: [{ reason: 'FieldValueInvalid', message: 'must be 2', field: 'data.k' }],
  },
};

/** What a webhook of the suite does, by name. `retry` and the connection faults are in {@link startWebhooks}. */
const BEHAVIOURS: Readonly<Record<string, Answer>> = {
  allow: (uid) => review({ uid, allowed: true }),
  warn: (uid) => review({ uid, allowed: true, warnings: ['first', 'first', '', 'sec"ond', 'bad\nline'] }),
  deny: (uid) => review({ uid, allowed: false, status: DENIAL, warnings: ['said anyway'] }),
  bare: (uid) => review({ uid, allowed: false }),
  odd: (uid) => review({ uid, allowed: false, status: { code: 200, message: 'm' } }),
  reason: (uid) => review({ uid, allowed: false, status: { code: 403, reason: 'Forbidden' } }),
  uid: () => review({ uid: 'nope', allowed: true }),
  absent: (uid) => review({ uid }),
  empty: () => ({ body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } }),
  beta: (uid) => review({ uid, allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' }),
  fault: () => ({
    status: 500,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'boom inside', code: 500 },
  }),
  bad: plain(400),
  large: plain(413),
  busy: plain(503),
  html: () => ({ headers: { 'content-type': 'text/html' }, body: '<html></html>' }),
  echo: (uid, request) =>
    review({ uid, allowed: false, status: { code: 418, message: canonicalJson(shown(request)) } }),
  patch: patched([{ op: 'add', path: '/data/added', value: 'yes' }]),
  label: patched([{ op: 'add', path: '/metadata/labels/added', value: 'yes' }]),
  nothing: patched([]),
  misfit: patched([{ op: 'remove', path: '/data/absent' }]),
  untyped: (uid) => review({ uid, allowed: true, patch: base64([]) }),
  unpatched: (uid) => review({ uid, allowed: true, patchType: 'JSONPatch' }),
  encoded: (uid) => review({ uid, allowed: true, patchType: 'JSONPatch', patch: '!!!' }),
  denypatch: (uid) =>
    review({
      uid,
      allowed: false,
      patchType: 'JSONPatch',
      patch: base64([{ op: 'add', path: '/data/added', value: 'yes' }]),
    }),
};

const HIDDEN = new Set([
  'managedFields',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'userInfo',
  'deletionTimestamp',
]);

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !HIDDEN.has(name))
      .map(([name, member]) => [name, shown(member)]),
  );
}

/** Starts the webhooks of the suite on loopback; the path's last part names the behaviour. */
export async function startWebhooks({
  cert,
  key,
}: KeyPair): Promise<{ readonly port: number; readonly server: Server }> {
  const retried = new Set<string>();
  const server = createServer({ cert, key }, (request, response) => {
    const name = new URL(request.url ?? '/', 'https://x').pathname.split('/').at(-1) ?? '';
    void readText(request).then((text) => answer(name, text, response, retried));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object.
  return { port: (server.address() as AddressInfo).port, server };
}

function answer(name: string, text: string, response: ServerResponse, retried: Set<string>): void {
  if (name === 'hang') return;
  if (name === 'reset') {
    response.socket?.destroy();
    return;
  }
  const request: unknown = Reflect.get(JSON.parse(text), 'request');
  const about = isRecord(request) ? request : {};
  const uid = String(about['uid']);
  if (name === 'retry' && !retried.has(uid)) {
    retried.add(uid);
    reply(response, { status: 503, headers: { 'retry-after': '1' }, body: 'later' });
    return;
  }
  reply(response, BEHAVIOURS[name]?.(uid, about) ?? review({ uid, allowed: true }));
}

function reply(response: ServerResponse, { status = 200, headers = {}, body }: Partial<Reply>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
