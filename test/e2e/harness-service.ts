import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Where one replica's webhooks listen. */
export interface Endpoint {
  readonly port: number;
  isReady(): boolean;
}

/**
 * Stands in for the cluster network: a loopback address of its own on which port 443 leads to the ready replicas in turn, as a
 * Service does. Without a ready one, connections are refused as kube-proxy refuses them: reset.
 */
export class ServiceAddress {
  readonly address: string;
  readonly #server: Server;
  readonly #endpoints: () => readonly Endpoint[];
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor(address: string, server: Server, endpoints: () => readonly Endpoint[]) {
    this.address = address;
    this.#server = server;
    this.#endpoints = endpoints;
    server.on('connection', (client) => this.#forward(client));
  }

  /** Takes a free address. Rejects when this user may not listen on port 443. */
  static async open(endpoints: () => readonly Endpoint[]): Promise<ServiceAddress> {
    for (let attempt = 1; ; attempt++) {
      const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
      const server = createServer();
      try {
        server.listen(443, address);
        await once(server, 'listening');
        return new ServiceAddress(address, server, endpoints);
      } catch (cause) {
        const taken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
        if (taken && attempt < 5) continue;
        throw new Error(
          `Cannot listen on ${address}:443, the port of the webhook's Service. Run as root or lower net.ipv4.ip_unprivileged_port_start to 443.`,
          { cause },
        );
      }
    }
  }

  /** Ends every connection and frees the address. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #forward(client: Socket): void {
    const ready = this.#endpoints().filter((endpoint) => endpoint.isReady());
    const endpoint = ready[this.#turn++ % ready.length];
    if (endpoint === undefined) return void client.resetAndDestroy();
    const replica = connect(endpoint.port, '127.0.0.1');
    for (const [socket, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      this.#sockets.add(socket);
      // Not a reset: Node loses a socket that is reset while its end is being sent, and waits for it when the process ends.
      socket.on('error', () => other.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      socket.pipe(other);
    }
  }
}
