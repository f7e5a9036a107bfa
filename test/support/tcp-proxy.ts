import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy on loopback that can fail as networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Connections there ever were. */
  readonly accepted: number;
  /** Ends every connection and refuses new ones, as a server that is down does. */
  refuse(): Promise<void>;
  /** Takes connections again. */
  accept(): Promise<void>;
  /** Swallows all bytes of the connections that are open now, while TCP goes on to answer. New connections work. */
  swallow(): void;
  /** Ends each open connection after that many further bytes from the server, in the middle of whatever they are part of. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  swallowed: boolean;
  bytesLeft: number;
}

/** Starts a proxy before a port of 127.0.0.1. */
export async function startTcpProxy(upstreamPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let accepted = 0;
  let server: Server;
  const end = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  };
  const take = (client: Socket): void => {
    accepted += 1;
    const pair: Pair = {
      client,
      upstream: connect(upstreamPort, '127.0.0.1'),
      swallowed: false,
      bytesLeft: Number.POSITIVE_INFINITY,
    };
    pairs.add(pair);
    for (const socket of [pair.client, pair.upstream]) socket.on('error', () => end(pair)).on('close', () => end(pair));
    client.on('data', (bytes) => pair.swallowed || pair.upstream.write(bytes));
    pair.upstream.on('data', (bytes) => {
      if (pair.swallowed) return;
      client.write(bytes.subarray(0, pair.bytesLeft));
      pair.bytesLeft -= bytes.length;
      if (pair.bytesLeft <= 0) end(pair);
    });
  };
  const listen = async (port: number): Promise<number> => {
    server = createServer(take).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
    return address.port;
  };
  const refuse = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const pair of pairs) end(pair);
    await closed;
  };
  const port = await listen(0);
  return {
    port,
    get accepted() {
      return accepted;
    },
    refuse,
    accept: async () => {
      if (!server.listening) await listen(port);
    },
    swallow: () => {
      for (const pair of pairs) pair.swallowed = true;
    },
    cutAfter: (bytes) => {
      for (const pair of pairs) pair.bytesLeft = bytes;
    },
    close: refuse,
  };
}
