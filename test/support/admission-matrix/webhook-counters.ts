import type { ApiAnswer } from '../../controlplane/api-access.ts';

/** How often the API server refused for a webhook, by error type, and how often it went on without it. */
export interface Counters {
  readonly rejections: Readonly<Record<string, number>>;
  readonly open: number;
}

/** Reads the API server's own counters of one webhook. */
export async function readCounters(
  target: { request(method: string, path: string): Promise<ApiAnswer> },
  webhook: string,
): Promise<Counters> {
  const { code, body } = await target.request('GET', '/metrics');
  if (code !== 200) throw new Error(`The API server's metrics cannot be read: HTTP ${code}`);
  const samples = String(body)
    .split('\n')
    .filter((line) => line.includes(`name="${webhook}"`));
  const rejections: Record<string, number> = {};
  let open = 0;
  for (const line of samples) {
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (line.startsWith('apiserver_admission_webhook_fail_open_count{')) open += value;
    if (!line.startsWith('apiserver_admission_webhook_rejection_count{')) continue;
    const type = /error_type="([^"]*)"/.exec(line)?.[1] ?? '';
    rejections[type] = (rejections[type] ?? 0) + value;
  }
  return { rejections, open };
}
