import { isRecord } from '../../src/base/json.ts';
import { createDevCluster, type DevClusterOptions, type InMemoryCluster } from '../../src/devcluster/dev-cluster.ts';
import type { ApiResponse } from '../../src/devcluster/exchange.ts';
import { FakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';
import { recordingLogger } from './silent-ports.ts';

/** A parsed answer of the embedded API server. */
export interface MemoryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The embedded API server without network, on a clock that stands still until told. */
export interface MemoryCluster extends InMemoryCluster {
  readonly clock: FakeClock;
  /** Sends a request as the administrator. */
  ask(method: string, path: string, body?: unknown, type?: string): Promise<MemoryAnswer>;
  /** Opens a watch: the frames read so far, and its end. */
  watch(path: string): Promise<{ readonly frames: readonly Frame[]; end(): void; readonly ended: () => boolean }>;
}

/** One frame of a watch. */
export interface Frame {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** Builds one that is closed when the test ends. */
export function memoryCluster(
  test: { after(work: () => void): void },
  options: Partial<DevClusterOptions> = {},
): MemoryCluster {
  const clock = new FakeClock();
  const dial = (): never => {
    throw new Error('This test calls no webhook');
  };
  const cluster = createDevCluster({ clock, random: seededRandom(), log: recordingLogger(), dial, ...options });
  test.after(() => cluster.close());
  const send = (
    method: string,
    target: string,
    rest: { text?: string; type?: string; signal?: AbortSignal } = {},
  ): Promise<ApiResponse> => {
    const [path = '', query = ''] = target.split('?');
    const { text = '', type = 'application/json', signal = new AbortController().signal } = rest;
    const headers = { authorization: `Bearer ${cluster.adminToken}`, 'content-type': type, 'user-agent': 'test' };
    return cluster.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers,
      body: Buffer.from(text),
      signal,
    });
  };
  return {
    ...cluster,
    clock,
    ask: async (method, path, body, type = 'application/json') => {
      const response = await send(method, path, { type, text: body === undefined ? '' : JSON.stringify(body) });
      let text = '';
      for await (const part of typeof response.body === 'string' ? [response.body] : response.body) text += part;
      const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : { text };
      return { status: response.status, headers: response.headers, body: isRecord(parsed) ? parsed : {} };
    },
    watch: async (path) => {
      const gone = new AbortController();
      const { body } = await send('GET', path, { signal: gone.signal });
      const frames: Frame[] = [];
      let ended = false;
      const read = async (): Promise<void> => {
        for await (const text of typeof body === 'string' ? [body] : body) {
          for (const line of text.split('\n').filter((part) => part !== '')) frames.push(JSON.parse(line));
        }
        ended = true;
      };
      read().catch(() => (ended = true));
      return { frames, end: () => gone.abort(), ended: () => ended };
    },
  };
}
