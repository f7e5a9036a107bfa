import { request } from 'node:https';

/** An API server the contract suite runs against. */
export interface ContractTarget {
  readonly url: string;
  /** PEM of the authority to trust; absent: the server's certificate is not checked. */
  readonly ca?: string;
  /** Token of an administrator. */
  readonly token: string;
}

/** One request of a suite. Texts may hold `{{name}}`, filled in from what earlier exchanges saved. */
export interface Exchange {
  /** What the server does, as a sentence; unique in its suite. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** @defaultValue application/json */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads values out of the answer for later exchanges: name to path into the body. */
  readonly save?: Readonly<Record<string, readonly (string | number)[]>>;
  /** The request is repeated until the answer satisfies this; what is asynchronous needs it. */
  readonly until?: (answer: Answer) => boolean;
  /** Only these parts of the body are compared; absent: all of it. */
  readonly compare?: readonly (readonly (string | number)[])[];
  /** Done, but not compared: it only prepares what follows. */
  readonly quiet?: true;
}

/** What a server answered: the body parsed, as a list of frames for a watch. */
export interface Answer {
  readonly status: number;
  readonly warning?: string;
  readonly retryAfter?: string;
  readonly body: unknown;
}

/** Sends one request and reads the whole answer. */
export function send(
  target: ContractTarget,
  exchange: Pick<Exchange, 'method' | 'path' | 'body' | 'type' | 'headers'>,
): Promise<Answer> {
  const { method, path, body, type = 'application/json', headers = {} } = exchange;
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(
      new URL(path, target.url),
      {
        method,
        ...(target.ca === undefined ? { rejectUnauthorized: false } : { ca: target.ca }),
        headers: {
          authorization: `Bearer ${target.token}`,
          'user-agent': 'contract/1.0',
          accept: 'application/json',
          ...(text === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const { warning, 'retry-after': retryAfter } = response.headers;
          resolve({
            status: response.statusCode ?? 0,
            ...(warning === undefined ? {} : { warning }),
            ...(retryAfter === undefined ? {} : { retryAfter }),
            body: parse(Buffer.concat(chunks).toString('utf8')),
          });
        });
      },
    );
    call.once('error', reject);
    call.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.every((line) => line.startsWith('{')) ? lines.map((line): unknown => JSON.parse(line)) : text.trim();
  }
}
