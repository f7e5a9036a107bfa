import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector, Pool } from 'undici';
import type { VaultAnswer, VaultRequest, VaultTransport } from './vault-transport.ts';

/** What the transport stands on. */
export interface UndiciVaultTransportOptions {
  /** Origin of the server. */
  readonly address: string;
  /** PEM of the authorities to trust. @defaultValue those of Node */
  readonly ca?: string;
}

/** TCP and TLS handshake. */
const CONNECT_MS = 5000;

/** As many as there are requests in flight. */
const CONNECTIONS = 4;

/** Policies and roles are small; a larger answer is none of Vault's. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The transport of production: undici over HTTP/1.1. TLS is always verified. */
export function createUndiciVaultTransport(options: UndiciVaultTransportOptions): VaultTransport {
  return new UndiciVaultTransport(options);
}

class UndiciVaultTransport implements VaultTransport {
  readonly #address: URL;
  readonly #connect: buildConnector.connector;
  readonly #pools = new Map<string, Pool>();
  /** Whether a name stands in the certificate that was last shown at the configured address. */
  #named: (hostname: string) => boolean = () => false;

  constructor({ address, ca }: UndiciVaultTransportOptions) {
    this.#address = new URL(address);
    const connect = buildConnector({
      ...(ca === undefined ? {} : { ca }),
      // As Go does: whoever names an intermediate authority trusts it.
      allowPartialTrustChain: true,
      timeout: CONNECT_MS,
    });
    this.#connect = (target, callback) =>
      connect(target, (...outcome) => {
        if (outcome[1] !== null && target.hostname === this.#address.hostname) this.#remember(outcome[1]);
        callback(...outcome);
      });
  }

  async send(request: VaultRequest): Promise<VaultAnswer> {
    const { method, path, headers, body, signal } = request;
    const pool = this.#poolOf(request.origin ?? this.#address.origin);
    try {
      const answer = await pool.request({ method, path, headers, body: body ?? null, signal });
      return { status: answer.statusCode, headers: single(answer.headers), body: await answer.body.text() };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  vouchesFor(hostname: string): boolean {
    return hostname === this.#address.hostname || this.#named(hostname);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.destroy()));
    this.#pools.clear();
  }

  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connect: this.#connect,
      connections: CONNECTIONS,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  #remember(socket: unknown): void {
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined) return;
    this.#named = (hostname) =>
      (isIP(hostname) === 0 ? certificate.checkHost(hostname) : certificate.checkIP(hostname)) !== undefined;
  }
}

function single(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
