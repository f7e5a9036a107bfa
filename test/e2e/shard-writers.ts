import { isRecord } from '../../src/base/json.ts';
import { type AuditEntry, writeVerbs } from '../controlplane/audit-log.ts';

/** What the audit log shows of who wrote what, and who might. */
export interface WriterReport {
  /** Writes of objects and of what belongs to them that were judged. */
  readonly judged: number;
  /** How often an Environment was given to another shard. */
  readonly handOvers: number;
  /** Writers that wrote something, told apart by their credentials. */
  readonly writers: number;
  /** Writes by somebody who did not hold the Lease of the object's shard, in words. */
  readonly violations: readonly string[];
}

/** The holder of a Lease at a time, as its writes show. */
interface Tenure {
  readonly writer: string;
  readonly atMs: number;
}

/** A lease that was not renewed for this long may be somebody else's. */
const LEASE_MS = 15_000;

/**
 * Judges every write of the service by the audit log alone: whoever wrote to an Environment, or to the namespace of one, must have been
 * the last to write the Lease of the shard that the Environment named then. Each process has a token of its own, whose id the API server
 * notes, so that processes of one ServiceAccount can be told apart.
 *
 * @param user of the service
 * @param namespaceOf name of an Environment's namespace
 */
export function judgeWriters(
  entries: readonly AuditEntry[],
  user: string,
  namespaceOf: (name: string) => string,
): WriterReport {
  const writes = entries
    .filter(({ verb, responseStatus }) => writeVerbs.includes(verb) && (responseStatus?.code ?? 500) < 300)
    .toSorted((one, other) => one.requestReceivedTimestamp.localeCompare(other.requestReceivedTimestamp));
  const judge = new WriterJudge(user, namespaceOf);
  for (const entry of writes) judge.see(entry);
  return judge.report();
}

class WriterJudge {
  readonly #user: string;
  readonly #namespaceOf: (name: string) => string;
  readonly #leases = new Map<string, Tenure>();
  readonly #shards = new Map<string, string>();
  readonly #environments = new Map<string, string>();
  readonly #writers = new Set<string>();
  readonly #violations: string[] = [];
  #judged = 0;
  #handOvers = 0;

  constructor(user: string, namespaceOf: (name: string) => string) {
    this.#user = user;
    this.#namespaceOf = namespaceOf;
  }

  see(entry: AuditEntry): void {
    const { objectRef, requestReceivedTimestamp } = entry;
    const { resource = '', namespace = '', name = '' } = objectRef ?? {};
    const writer = entry.user.username === this.#user ? credentialOf(entry) : '';
    if (resource === 'leases') {
      if (writer === '') return;
      this.#leases.set(name, { writer, atMs: Date.parse(requestReceivedTimestamp) });
    } else if (resource === 'environments') this.#seeEnvironment(entry, name, writer);
    else {
      const environment = this.#environments.get(resource === 'namespaces' ? name : namespace);
      if (environment !== undefined && writer !== '') this.#judge(entry, environment, writer);
    }
  }

  report(): WriterReport {
    const { size: writers } = this.#writers;
    return { judged: this.#judged, handOvers: this.#handOvers, writers, violations: this.#violations };
  }

  #seeEnvironment(entry: AuditEntry, name: string, writer: string): void {
    this.#environments.set(this.#namespaceOf(name), name);
    const object = isRecord(entry.responseObject) ? entry.responseObject : {};
    const status = isRecord(object['status']) ? object['status'] : {};
    // What a person changes is stored long after it arrived, when webhooks have answered, and then shows a shard that was not yet given.
    if (writer === '') return;
    const before = this.#shards.get(name) ?? 'common';
    const after = typeof status['shard'] === 'string' ? status['shard'] : 'common';
    this.#shards.set(name, after);
    if (before !== after) this.#handOvers += 1;
    const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
    const takesUntouched = before === 'common' && after !== before && metadata['finalizers'] === undefined;
    if (!takesUntouched) this.#judge(entry, name, writer, before);
  }

  #judge(entry: AuditEntry, environment: string, writer: string, shard = this.#shards.get(environment)): void {
    const lease = shard === undefined || shard === 'common' ? 'homeostat' : `homeostat-${shard}`;
    const tenure = this.#leases.get(lease);
    const ageMs = Date.parse(entry.requestReceivedTimestamp) - (tenure?.atMs ?? 0);
    this.#judged += 1;
    this.#writers.add(writer);
    if (tenure?.writer === writer && ageMs < LEASE_MS) return;
    const { resource = '', subresource, name = '' } = entry.objectRef ?? {};
    const what = `${entry.verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}/${name}`;
    this.#violations.push(
      `${entry.requestReceivedTimestamp} ${writer} sends ${what} of ${environment}, whose ${lease} is held by ${tenure?.writer ?? 'nobody'}`,
    );
  }
}

/** Id of the token that a request was sent with; empty where there is none. */
function credentialOf({ user }: AuditEntry): string {
  const extra = 'extra' in user && isRecord(user.extra) ? user.extra : {};
  const ids = extra['authentication.kubernetes.io/credential-id'];
  return Array.isArray(ids) ? String(ids[0]) : '';
}
