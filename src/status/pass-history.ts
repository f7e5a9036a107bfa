import { isRecord, type JsonObject } from '../base/json.ts';

/** One remembered pass in `status.reconcileHistory`. */
export interface HistoryEntry {
  readonly generation: number;
  /** `Ready`, or the reason that held the pass up. */
  readonly outcome: string;
  /** What woke the key. */
  readonly trigger: string;
  /** RFC 3339, seconds. */
  readonly time: string;
}

/** Entries kept: enough to see a change and what came before, small enough never to matter for the object's size. */
const KEPT = 5;

/** The stored history with one more entry at the end; the oldest go. */
export function appendHistory(status: unknown, entry: HistoryEntry): readonly JsonObject[] {
  const stored = isRecord(status) && Array.isArray(status['reconcileHistory']) ? status['reconcileHistory'] : [];
  return [...stored.filter(isRecord).map(toEntry), { ...entry }].slice(-KEPT);
}

/** Members of another version are not carried along: the API server would drop them anyway. */
function toEntry(stored: Readonly<Record<string, unknown>>): JsonObject {
  return {
    generation: typeof stored['generation'] === 'number' ? stored['generation'] : 0,
    outcome: String(stored['outcome']),
    trigger: String(stored['trigger']),
    time: String(stored['time']),
  };
}
