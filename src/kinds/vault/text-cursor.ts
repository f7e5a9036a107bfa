import { type Place, PolicySyntaxError } from './policy-tree.ts';

/** A place in a text that moves forward. */
export class TextCursor {
  readonly text: string;
  #offset = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get offset(): number {
    return this.#offset;
  }

  get place(): Place {
    return { line: this.#line, column: this.#offset - this.#lineStart + 1 };
  }

  get atEnd(): boolean {
    return this.#offset >= this.text.length;
  }

  /** The next character, empty at the end. */
  get next(): string {
    return this.text.charAt(this.#offset);
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.#offset);
  }

  /** What a sticky expression finds here; the cursor stays. */
  match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#offset;
    return expression.exec(this.text)?.[0];
  }

  /** Moves over so many characters and gives them. */
  take(length = 1): string {
    const taken = this.text.slice(this.#offset, this.#offset + length);
    for (let at = taken.indexOf('\n'); at >= 0; at = taken.indexOf('\n', at + 1)) {
      this.#line++;
      this.#lineStart = this.#offset + at + 1;
    }
    this.#offset += taken.length;
    return taken;
  }

  /** Moves over the text if it stands here. */
  skip(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.take(text.length);
    return true;
  }

  fail(detail: string, at: Place = this.place): PolicySyntaxError {
    return new PolicySyntaxError(at, detail);
  }

  /** What stands here, for a message. */
  describe(): string {
    if (this.atEnd) return 'the end of the text';
    return JSON.stringify(this.next);
  }
}
