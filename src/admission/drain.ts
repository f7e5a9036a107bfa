import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { nextTurn } from '../base/abort.ts';
import type { Clock, Timer } from '../base/clock.ts';

/** Connections that fall idle after the listening socket is closed are ended this soon. */
const SWEEP_MS = 100;

/**
 * Connections that have never asked anything are cut so long after the listening socket is closed. Clients written in Go dial once more than
 * they need, and keep that connection for later: to the HTTP server it is one whose request is on its way, and never idle.
 */
const SILENT_MS = 1000;

/** Between ending the reviews in hand and cutting their connections: time for the answers to leave. */
const LAST_ANSWERS_MS = 250;

/**
 * Ends a server without a lost answer. First `begin`: everything is answered as before, with `Connection: close`, so that clients
 * dial again and reach another Pod. Then `end`: no new connections, idle and silent ones are closed, reviews in hand or on their way into
 * the process are answered.
 */
export class Drain {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  /** Those that no request has come over, by the address of the client. */
  readonly #silent = new Map<string, Socket>();
  #begun = false;

  constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    // Includes connections still in their TLS handshake, which the HTTP server does not know of.
    server.on('connection', (socket: Socket) => {
      const client = clientOf(socket);
      this.#sockets.add(socket);
      this.#silent.set(client, socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        if (this.#silent.get(client) === socket) this.#silent.delete(client);
      });
    });
    // Its socket is the one of TLS, over that of the connection.
    server.on('request', ({ socket }: IncomingMessage) => this.#silent.delete(clientOf(socket)));
  }

  /** Whether answers must ask the client to leave. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Open connections, handshakes included. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Asks clients to leave, with each answer from now on. */
  begin(): void {
    this.#begun = true;
  }

  /**
   * Closes by `close`, which must stop listening and resolve when the last connection is gone. After `graceMs` calls `giveUp`, so
   * that reviews in hand are answered at once, and then cuts what is left.
   */
  async end(close: () => Promise<void>, giveUp: () => void, graceMs: number): Promise<void> {
    this.begin();
    const timers = new Set<Timer>();
    const after = (delayMs: number, callback: () => void): void => {
      const timer = this.#clock.setTimer(delayMs, () => {
        timers.delete(timer);
        callback();
      });
      timers.add(timer);
    };
    let isOver = false;
    const sweep = (): void => {
      if (isOver) return;
      this.#server.closeIdleConnections();
      after(SWEEP_MS, () => void this.#arrivalsRead().then(sweep));
    };
    after(SILENT_MS, () => cut(this.#silent.values()));
    after(graceMs, () => {
      giveUp();
      after(LAST_ANSWERS_MS, () => cut(this.#sockets));
    });
    try {
      await this.#arrivalsRead();
      const closed = close();
      sweep();
      await closed;
    } finally {
      isOver = true;
      for (const timer of timers) timer.cancel();
    }
  }

  /**
   * A connection is idle to the HTTP server as long as it has not read the request that waits in the socket; closed then, the client
   * sees the end of a connection in place of an answer. In a busy process that wait is long, and timers run before sockets are read:
   * two turns later everything that had arrived is read.
   */
  async #arrivalsRead(): Promise<void> {
    await nextTurn(this.#clock);
    await nextTurn(this.#clock);
  }
}

function clientOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function cut(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}
