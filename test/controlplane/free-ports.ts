import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports of `host` on which nothing listens, all different. Another process may still take one before its use. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map(async (server) => {
        server.listen(0, host);
        await once(server, 'listening');
        // A server that listens on TCP has an AddressInfo.
        return (server.address() as AddressInfo).port;
      }),
    );
  } finally {
    for (const server of servers) server.close();
  }
}
