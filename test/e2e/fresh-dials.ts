import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';

/** What is dialled, and whom it is trusted by at the moment. */
export interface DialTarget {
  readonly address: string;
  /** Name that the certificate must have. */
  readonly serverName: string;
  /** The caBundles as they are registered now, PEM: one where all hooks have the same. */
  readonly caBundles: () => Promise<readonly string[]>;
}

/** What the dials came to. */
export interface DialResult {
  readonly count: number;
  /** Different certificates met. */
  readonly certificates: number;
  readonly failures: readonly string[];
}

/** Between the end of a dial and the next one. */
const PAUSE_MS = 50;

/**
 * One handshake after the other, each verified against the caBundle that is registered at that moment: an API server keeps its
 * connections, so most of what it sends never meets a new certificate.
 */
export class FreshDials {
  readonly #target: DialTarget;
  readonly #stop = new AbortController();
  readonly #failures: string[] = [];
  readonly #serials = new Set<string>();
  readonly #running: Promise<void>;
  #count = 0;

  /** Begins to dial. */
  constructor(target: DialTarget) {
    this.#target = target;
    this.#running = this.#run();
  }

  /** Dials no more. */
  async finish(): Promise<DialResult> {
    this.#stop.abort();
    await this.#running;
    return { count: this.#count, certificates: this.#serials.size, failures: this.#failures };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      for (const bundle of await this.#target.caBundles()) await this.#dial(bundle);
      await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined); // rejects only when the signal fires
    }
  }

  async #dial(ca: string): Promise<void> {
    this.#count += 1;
    try {
      this.#serials.add(await shakeHands(this.#target, ca));
    } catch (error) {
      this.#failures.push(`dial ${this.#count}: ${String(error)}`);
    }
  }
}

/** Shakes hands as an API server does and gives the serial number of the certificate that was served. */
async function shakeHands({ address, serverName }: DialTarget, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: 443, servername: serverName, ca, timeout: 5000 }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.end();
    });
    socket.on('error', reject);
    socket.on('timeout', () => socket.destroy(new Error('no handshake within 5 s')));
  });
}
