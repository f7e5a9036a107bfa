import { spawn } from 'node:child_process';
import { programPath } from '../controlplane/program-path.ts';

/** A constant stream of requests, sent whether or not the earlier ones have been answered. */
export interface Load {
  readonly url: string;
  readonly body: string;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
}

/** What the requests got, in milliseconds; a late start counts into the latency, so slow answers hide nothing. */
export interface LoadReport {
  readonly requests: number;
  /** Share of requests answered with a 2xx. */
  readonly success: number;
  /** Answers a second. */
  readonly throughput: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Sends the load over TLS HTTP/1.1 on kept connections, as an API server does. */
export async function sendLoad({ url, body, rate, seconds }: Load): Promise<LoadReport> {
  const vegeta = await programPath('vegeta');
  const header = { 'Content-Type': ['application/json'] };
  const target = JSON.stringify({ method: 'POST', url, header, body: Buffer.from(body).toString('base64') });
  const attack = [
    'attack',
    '-format=json',
    `-rate=${rate}`,
    `-duration=${seconds}s`,
    '-insecure',
    '-http2=false',
    '-max-workers=64',
    // Else each request that waits dials once more, and a burst measures handshakes, which spill into the measurement that follows.
    '-max-connections=64',
    '-timeout=10s',
  ];
  const results = await output(vegeta, attack, Buffer.from(`${target}\n`));
  // The report of vegeta, in nanoseconds.
  const report = JSON.parse((await output(vegeta, ['report', '-type=json'], results)).toString()) as {
    readonly requests: number;
    readonly success: number;
    readonly throughput: number;
    readonly latencies: Readonly<Record<'50th' | '99th' | 'max', number>>;
  };
  const { requests, success, throughput, latencies } = report;
  const ms = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;
  return {
    requests,
    success,
    throughput: Math.round(throughput),
    p50: ms(latencies['50th']),
    p99: ms(latencies['99th']),
    max: ms(latencies.max),
  };
}

async function output(program: string, args: readonly string[], stdin: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(Buffer.concat(chunks)) : reject(new Error(`${program} ${args[0]} ended with ${code}`)),
    );
    child.stdin.end(stdin);
  });
}
