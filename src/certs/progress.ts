import type { Logger } from '../base/logger.ts';

/** What a source waits for, as one sentence: logged when it changes and not again. */
export class Progress {
  readonly #log: Logger;
  #waitingFor: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The sentence, or `undefined` when nothing is waited for. */
  get waitingFor(): string | undefined {
    return this.#waitingFor;
  }

  /** Somebody or something else is to act, in the ordinary course of things. */
  waits(sentence: string): void {
    this.#change(sentence, () => this.#log.info('the serving certificate waits', { for: sentence }));
  }

  /** Something is wrong and a person may have to act. */
  fails(sentence: string): void {
    this.#change(sentence, () => this.#log.warn('the serving certificate is held up', { by: sentence }));
  }

  /** Nothing is waited for. */
  done(): void {
    this.#waitingFor = undefined;
  }

  #change(sentence: string, say: () => void): void {
    if (sentence === this.#waitingFor) return;
    this.#waitingFor = sentence;
    say();
  }
}
