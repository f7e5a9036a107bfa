import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux gives to outgoing connections (32768 and up): nothing takes a port by chance between the look and its use. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Looks for this many ports at once; so often a taken one is followed by another. */
const TRIES = 100;

/** Gives ports nobody listens on, each another. They are free at the moment of the look; suites beside each other draw at random. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count && tries < TRIES; tries++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port, host)) found.add(port);
  }
  if (found.size < count) throw new Error(`No ${count} free ports between ${LOWEST} and ${HIGHEST} on ${host}.`);
  return [...found];
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return true;
  } catch {
    // Taken, or not ours to take: either way another is drawn.
    return false;
  } finally {
    server.close();
  }
}
