import type { AuditEntry } from '../controlplane/audit-log.ts';

/** Which entries ask for something, and which are the operator's answer. */
export interface Pairing {
  readonly asks: (entry: AuditEntry) => boolean;
  readonly answers: (entry: AuditEntry) => boolean;
  /** What both have in common. */
  readonly subject: (entry: AuditEntry) => string;
}

/**
 * Milliseconds from the arrival of each question at the API server to that of the first answer about the same subject, which answers all
 * that are open. A question without an answer gives none, so compare the counts.
 */
export function answeredAfterMs(
  entries: readonly AuditEntry[],
  { asks, answers, subject }: Pairing,
): readonly number[] {
  const inOrder = entries.toSorted((a, b) => receivedMs(a) - receivedMs(b));
  const waiting = new Map<string, number[]>();
  const delays: number[] = [];
  for (const entry of inOrder) {
    const about = subject(entry);
    const asked = waiting.get(about) ?? [];
    if (asks(entry)) waiting.set(about, [...asked, receivedMs(entry)]);
    else if (answers(entry)) {
      delays.push(...asked.map((askedMs) => receivedMs(entry) - askedMs));
      waiting.delete(about);
    }
  }
  return delays;
}

/** When the request arrived, milliseconds since the epoch, with the audit log's microseconds as a fraction. */
export function receivedMs({ requestReceivedTimestamp: text }: AuditEntry): number {
  const [, micros = '0'] = /\.\d{3}(\d+)Z$/.exec(text) ?? [];
  return Date.parse(text) + Number(`0.${micros}`);
}
