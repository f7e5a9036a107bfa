import type { RequestInfo } from './request-info.ts';

/** One request that was answered, or begun in the case of a watch. */
export interface AuditEntry {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly userAgent: string;
  /** HTTP status; 0 when the connection was cut. */
  readonly code: number;
  readonly dryRun: boolean;
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const REVIEWS = new Set(['authorization.k8s.io', 'authentication.k8s.io']);
const CAPACITY = 100_000;

/** Every request, in the order they were answered, so that tests can count writes. The oldest entries go first. */
export class Audit {
  readonly #entries: AuditEntry[] = [];

  /** Everything that was asked. */
  get entries(): readonly AuditEntry[] {
    return this.#entries;
  }

  /** Requests that changed, or tried to change, something stored; reviews and dry runs are none. */
  writes(filter: Partial<AuditEntry> = {}): readonly AuditEntry[] {
    const wanted = Object.entries(filter);
    return this.#entries.filter(
      (entry) =>
        WRITES.has(entry.verb) &&
        !REVIEWS.has(entry.group) &&
        !entry.dryRun &&
        wanted.every(([name, value]) => Reflect.get(entry, name) === value),
    );
  }

  /** Forgets what was asked so far. */
  clear(): void {
    this.#entries.length = 0;
  }

  /** Takes note of one request. */
  note(info: RequestInfo, rest: Pick<AuditEntry, 'user' | 'userAgent' | 'code' | 'dryRun'>): void {
    if (this.#entries.length >= CAPACITY) this.#entries.shift();
    this.#entries.push({ ...info, ...rest });
  }
}
