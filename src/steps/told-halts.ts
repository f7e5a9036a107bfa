import type { Condition } from '../base/object.ts';
import type { Halt } from './classify.ts';

/**
 * What people have been told of each held up object in this process. A condition's reason alone does not tell: a wait that becomes
 * an obstacle keeps its reason and only then has an Event.
 */
export class ToldHalts {
  readonly #told = new Map<string, string>();

  /**
   * The reason of the Event to send for a halt, `undefined` when there is none or it has been told. After a restart nothing is
   * remembered, and a condition that already says the same has been told of by the process before.
   */
  news(key: string, halt: Halt, before: Condition | undefined): string | undefined {
    const reason = eventOf(halt);
    if (reason === undefined) {
      this.#told.delete(key);
      return undefined;
    }
    const told = this.#told.get(key);
    this.#told.set(key, reason);
    const stands = before?.status === 'False' && before.reason === halt.reason;
    if (!stands) return reason;
    return told === reason || (told === undefined && before.message === halt.message) ? undefined : reason;
  }

  /** Drops what is known of a key that is not held up any more. */
  forget(key: string): void {
    this.#told.delete(key);
  }
}

function eventOf(halt: Halt): string | undefined {
  if (halt.type === 'transient') return undefined;
  return halt.type === 'terminal' ? (halt.event ?? halt.reason) : halt.event;
}
