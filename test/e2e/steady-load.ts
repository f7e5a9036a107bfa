import { Agent, request } from 'node:https';

/** Requests at a constant rate, sent whether or not the earlier ones have been answered. */
export interface SteadyLoad {
  /** Answered with a verdict so far. */
  readonly answered: number;
  /** Everything that was no verdict, in words. */
  readonly failures: readonly string[];
  /** Sends nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/** Where the load goes. */
export interface LoadTarget {
  readonly host: string;
  readonly path: string;
  readonly body: string;
  readonly perSecond: number;
}

/** Starts sending over a few kept TLS connections, as API servers do. */
export function startLoad({ host, path, body, perSecond }: LoadTarget): SteadyLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });
  const failures: string[] = [];
  const underWay = new Set<Promise<void>>();
  const count = { answered: 0 };
  const send = (): void => {
    const call = review(agent, { host, path, body }).then(
      () => void (count.answered += 1),
      (error: unknown) => void failures.push(String(error)),
    );
    underWay.add(call);
    void call.finally(() => underWay.delete(call));
  };
  const timer = setInterval(send, 1000 / perSecond);
  return {
    get answered() {
      return count.answered;
    },
    failures,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      agent.destroy();
    },
  };
}

async function review(agent: Agent, { host, path, body }: Omit<LoadTarget, 'perSecond'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request({ host, port: 443, path, method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`HTTP ${answer.statusCode}`));
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
