import { readFile } from 'node:fs/promises';

/** One finished request in the API server's audit log (audit.k8s.io/v1 Event, the parts that suites read). */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  /** `authorization.k8s.io/decision` and its like. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What was answered, where the policy keeps it. */
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
}

/** Which entries are wanted; an absent field wants all. */
export interface AuditFilter {
  /** `system:serviceaccount:NAMESPACE:NAME`, `admin`, ... */
  readonly user?: string;
  readonly verbs?: readonly string[];
  readonly resources?: readonly string[];
}

/** The verbs that change something. Server-side apply is `patch` here. */
export const writeVerbs: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * A policy that keeps every request once, when it is answered: without bodies, but for writes of resources in these API groups, whose
 * answers hold what was stored.
 */
export function auditPolicy(groups: readonly string[]): string {
  const bodies = groups.map(
    (group) => `
- level: RequestResponse
  omitManagedFields: true
  verbs: [create, update, patch]
  resources: [{group: ${group}}]`,
  );
  return `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:${bodies.join('')}
- level: Metadata
`;
}

/** Reads the log's entries that match. A last line that is still being written is left for the next read. */
export async function readAuditLog(file: string, filter: AuditFilter = {}): Promise<readonly AuditEntry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  // The API server writes audit.k8s.io/v1 Events, one a line.
  const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEntry);
  return entries.filter((entry) => matches(entry, filter));
}

function matches(entry: AuditEntry, { user, verbs, resources }: AuditFilter): boolean {
  if (user !== undefined && entry.user.username !== user) return false;
  if (verbs !== undefined && !verbs.includes(entry.verb)) return false;
  return resources === undefined || resources.includes(entry.objectRef?.resource ?? '');
}
