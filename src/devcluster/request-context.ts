import type { RequestInfo } from './request-info.ts';
import type { Warnings } from './warnings.ts';

/** Who asks (authentication.k8s.io UserInfo). */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One request on its way through the server. */
export interface RequestContext {
  readonly info: RequestInfo;
  readonly user: User;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly warnings: Warnings;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** The user the server's own controllers act as. */
export const LOOPBACK: User = { username: 'system:apiserver', groups: ['system:masters'] };

/** Field manager of a request: the query's, else the first word of the user agent. */
export function managerOf({ query, headers }: Pick<RequestContext, 'query' | 'headers'>): string {
  const named = query.get('fieldManager');
  if (named !== null && named !== '') return named;
  return (headers['user-agent'] ?? 'unknown').split('/')[0] ?? 'unknown';
}
