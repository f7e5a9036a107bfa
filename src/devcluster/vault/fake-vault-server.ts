import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../base/json.ts';
import type { FakeVault } from './fake-vault.ts';

/** A fake Vault behind a socket. */
export interface FakeVaultServer {
  /** Origin it listens on. */
  readonly address: string;
  close(): Promise<void>;
}

const METHODS: Readonly<Record<string, 'GET' | 'POST' | 'DELETE'>> = {
  GET: 'GET',
  POST: 'POST',
  PUT: 'POST',
  DELETE: 'DELETE',
};

/** Serves a fake Vault on a free port of loopback. */
export async function serveFakeVault(vault: FakeVault): Promise<FakeVaultServer> {
  const server = createServer((request, response) => void answer(vault, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // An address of TCP, since it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(vault: FakeVault, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('The client has gone')));
  try {
    const body = await textOf(request);
    const method = METHODS[request.method ?? ''];
    if (method === undefined) {
      response.writeHead(405).end();
      return;
    }
    const reply = await vault.send({
      method,
      path: request.url ?? '/',
      headers: textHeaders(request),
      ...(isJsonObject(body) ? { body } : {}),
      signal: gone.signal,
    });
    response.writeHead(reply.status, { ...reply.headers, 'content-type': 'application/json' }).end(reply.body);
  } catch {
    // The switch `unreachable`, or a client that has gone: nobody gets an answer.
    response.destroy();
  }
}

function textHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // A request without an encoding gives Buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
