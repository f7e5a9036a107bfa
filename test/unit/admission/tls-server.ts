import { Agent, type RequestOptions, request } from 'node:https';
import type { TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { AdmissionServer, AdmissionServerOptions } from '../../../src/admission/server.ts';
import { createAdmissionServer } from '../../../src/admission/server.ts';
import type { CertificateSource, ServingPair } from '../../../src/certs/certificate-source.ts';
import { issueAuthority, issueServing } from '../../../src/certs/issue.ts';
import { readServingPair } from '../../../src/certs/serving-pair.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { type LogLine, recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { calmContext, gadgetHook, gadgetSlice } from './gadget.ts';

/** The name an API server verifies. */
export const SERVER_NAME = 'homeostat.homeostat-system.svc';

const NOW = Date.UTC(2026, 0, 1);
/** Real TLS clients look at the real clock, so the pairs are valid for long on both sides of it. */
const issueOptions = { random: seededRandom(5), now: NOW, validForMs: 3650 * 86_400_000 };

/** An authority and two pairs under it. */
export const authority = await issueAuthority('Test authority', issueOptions);
const pair = async (): Promise<ServingPair> =>
  readServingPair(
    { ...(await issueServing(authority, [SERVER_NAME], issueOptions)), authority: authority.certificate },
    { names: [SERVER_NAME], now: NOW, where: 'memory' },
  );
export const [firstPair, secondPair] = await Promise.all([pair(), pair()]);

/** A certificate source that a test turns. */
export class HandSource implements CertificateSource {
  #current: ServingPair | undefined;
  readonly #callbacks = new Set<(pair: ServingPair) => void>();

  constructor(first?: ServingPair) {
    this.#current = first;
  }

  current(): ServingPair | undefined {
    return this.#current;
  }

  onChange(callback: (pair: ServingPair) => void): () => void {
    this.#callbacks.add(callback);
    return () => void this.#callbacks.delete(callback);
  }

  run(): Promise<void> {
    return Promise.resolve();
  }

  problem(): string | undefined {
    return this.#current === undefined ? 'no pair yet' : undefined;
  }

  turn(next: ServingPair): void {
    this.#current = next;
    for (const callback of this.#callbacks) callback(next);
  }
}

/** A server that does not listen yet, and the ports it was made with. */
export interface Unlistened {
  readonly server: AdmissionServer;
  readonly clock: FakeClock;
  readonly metrics: ReturnType<typeof recordingMetrics>;
  readonly certificates: HandSource;
  readonly lines: readonly LogLine[];
}

/** A server for gadgets with the first pair. */
export function unlistened(parts: Partial<AdmissionServerOptions> = {}): Unlistened {
  const clock = new FakeClock(NOW);
  const log = recordingLogger();
  const metrics = recordingMetrics();
  const certificates = new HandSource(firstPair);
  const server = createAdmissionServer({
    slices: [gadgetSlice()],
    hooks: [gadgetHook('mutate'), gadgetHook('validate'), gadgetHook('protect')],
    certificates,
    lookup: calmContext().lookup,
    // Nothing in these tests needs the API server.
    client: {} as KubeClient,
    clock,
    log,
    metrics,
    host: '127.0.0.1',
    port: 0,
    operatorNamespace: 'homeostat-system',
    ...parts,
  });
  return { server, clock, metrics, certificates, lines: log.lines };
}

/** A server on the loopback, closed after the test. */
export async function listening(
  t: TestContext,
  parts: Partial<AdmissionServerOptions> = {},
): Promise<Unlistened & { readonly port: number }> {
  const made = unlistened(parts);
  const { port } = await made.server.listen();
  t.after(() => closed(made.server, made.clock));
  return { ...made, port };
}

/** Closes a server, moving its clock until that is done. */
export async function closed(server: AdmissionServer, clock: FakeClock, graceMs = 1000): Promise<void> {
  const state = { done: false };
  const closing = server.close(graceMs).finally(() => {
    state.done = true;
  });
  while (!state.done) await clock.advance(100);
  await closing;
}

/** An answer as it came off the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Serial of the certificate the connection was made with. */
  readonly serial: string;
}

/** A client like the API server's: verifies name and authority, keeps connections. */
export function apiClient(t: TestContext): Agent {
  const agent = new Agent({ keepAlive: true, ca: authority.certificate, servername: SERVER_NAME, maxSockets: 1 });
  t.after(() => agent.destroy());
  return agent;
}

/** Posts a body and waits for the answer. */
export function post(
  options: RequestOptions & { readonly port: number },
  body: Uint8Array | string,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        path: '/validate/gadgets?timeout=5s',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...options,
      },
      (response) => {
        // The socket of an HTTPS request is a TLS socket.
        const serial = (response.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 ?? '';
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            serial,
          }),
        );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
