import { readFile } from 'node:fs/promises';
import { parseStrictJson } from '../support/strict-json.ts';

/** One line of a service's log. */
export type LogRecord = Readonly<Record<string, unknown>>;

/** What every line of a reconcile must have; a cluster-scoped object has an empty namespace. */
const RECONCILE_KEYS: readonly string[] = ['controller', 'namespace', 'name', 'reconcileID'];

/**
 * Every line of a service's log, so that as many come out as were written. Rejects when a line is no JSON object, says a key twice,
 * or is of a reconcile and does not say which.
 */
export async function readLog(file: string): Promise<readonly LogRecord[]> {
  return (await readFile(file, 'utf8')).split('\n').slice(0, -1).map(toRecord);
}

/** Checks the whole log of a service that has ended, and counts its lines. One that was killed may have left half a line. */
export async function checkLog(file: string, wasKilled: boolean): Promise<number> {
  const text = await readFile(file, 'utf8');
  if (!wasKilled && text !== '' && !text.endsWith('\n')) throw new Error(`${file} ends within a line`);
  return (await readLog(file)).length;
}

/** Reads one line. Throws as {@link readLog} rejects. */
export function toRecord(line: string): LogRecord {
  let value: unknown;
  try {
    value = parseStrictJson(line);
  } catch (cause) {
    throw new Error(`A log line is no strict JSON: ${line}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`A log line is no JSON object: ${line}`);
  // Checked above: an object with string keys.
  const record = value as LogRecord;
  const missing = 'reconcileID' in record ? RECONCILE_KEYS.filter((key) => !(key in record)) : [];
  if (missing.length > 0) throw new Error(`A line of a reconcile does not say its ${missing.join(', ')}: ${line}`);
  return record;
}
