/** A JSON text that a careful reader refuses: no JSON at all, or an object that says one key twice. */
export class StrictJsonError extends Error {
  /** Offset in the text. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} at offset ${at}`);
    this.name = 'StrictJsonError';
    this.at = at;
  }
}

/**
 * Parses one JSON text (RFC 8259) and refuses an object with a duplicate key, of which `JSON.parse` and most log pipelines
 * silently keep one or drop the line. @throws StrictJsonError
 */
export function parseStrictJson(text: string): unknown {
  return new Parser(text).document();
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// The control characters are what JSON forbids unescaped in a string.
const string = /"(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[^"\\\u0000-\u001f])*"/y;
const word = /true|false|null/y;
const space = /[ \t\n\r]*/y;

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #value(): unknown {
    this.#match(space);
    const value = this.#bare();
    this.#match(space);
    return value;
  }

  #bare(): unknown {
    if (this.#skip('{')) return this.#object();
    if (this.#skip('[')) return this.#array();
    const scalar = this.#match(string) ?? this.#match(word) ?? this.#match(number);
    if (scalar === undefined) throw this.#unexpected();
    return JSON.parse(scalar);
  }

  #object(): object {
    const entries = new Map<string, unknown>();
    this.#match(space);
    if (this.#skip('}')) return {};
    do {
      this.#match(space);
      const start = this.#at;
      const text = this.#match(string);
      if (text === undefined) throw this.#unexpected();
      // A JSON string parses to a string.
      const key = JSON.parse(text) as string;
      if (entries.has(key)) throw new StrictJsonError(`The key ${text} stands twice in one object`, start);
      this.#match(space);
      this.#expect(':');
      entries.set(key, this.#value());
    } while (this.#skip(','));
    this.#expect('}');
    return Object.fromEntries(entries);
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#match(space);
    if (this.#skip(']')) return items;
    do items.push(this.#value());
    while (this.#skip(','));
    this.#expect(']');
    return items;
  }

  #skip(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw this.#unexpected();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(): StrictJsonError {
    const found = this.#text.charAt(this.#at);
    return new StrictJsonError(
      found === '' ? 'The text ends too early' : `Unexpected ${JSON.stringify(found)}`,
      this.#at,
    );
  }
}
