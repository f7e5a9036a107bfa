import { readHeredoc, readQuoted } from './hcl-text.ts';
import type { PolicyEntry, PolicyNode, PolicyObject } from './policy-tree.ts';
import { TextCursor } from './text-cursor.ts';

const WORD = /[A-Za-z_][-A-Za-z0-9_.]*/y;
const NUMBER = /[-+]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/y;
const BLANK = /[ \t\r\n]+|#[^\n]*|\/\/[^\n]*/y;

/** Deeper than any policy goes, and far from where reading would exhaust the stack. */
const MAX_DEPTH = 32;

/**
 * Reads the part of HCL 1 that policies are written in: comments, strings with escapes and raw `${…}`, heredocs, numbers, booleans, lists,
 * objects, `key = value` and blocks with quoted keys.
 *
 * @throws PolicySyntaxError with line and column
 */
export function readHcl(text: string): PolicyObject {
  return new HclReader(text).document();
}

class HclReader {
  readonly #cursor: TextCursor;

  constructor(text: string) {
    this.#cursor = new TextCursor(text);
  }

  document(): PolicyObject {
    const at = this.#cursor.place;
    const entries = this.#entries(0);
    if (!this.#cursor.atEnd) throw this.#cursor.fail(`a key is expected, not ${this.#cursor.describe()}`);
    return { type: 'object', entries, at };
  }

  /** Entries up to a closing brace or the end; commas between them are allowed and mean nothing. */
  #entries(depth: number): readonly PolicyEntry[] {
    if (depth > MAX_DEPTH) throw this.#cursor.fail(`objects are nested deeper than ${MAX_DEPTH}`);
    const entries: PolicyEntry[] = [];
    for (;;) {
      this.#skipBlank();
      if (this.#cursor.atEnd || this.#cursor.next === '}') return entries;
      entries.push(this.#entry(depth));
      this.#skipBlank();
      this.#cursor.skip(',');
    }
  }

  #entry(depth: number): PolicyEntry {
    const cursor = this.#cursor;
    const at = cursor.place;
    const keys: string[] = [];
    for (;;) {
      this.#skipBlank();
      if (cursor.next === '{' && keys.length > 0) return { keys, value: this.#object(depth), at };
      if (cursor.next === '=' && keys.length > 0) break;
      keys.push(this.#key(keys));
    }
    if (keys.length > 1) throw cursor.fail('a block with several keys is opened by {, not by =');
    cursor.take();
    this.#skipBlank();
    return { keys, value: this.#value(depth), at };
  }

  #key(before: readonly string[]): string {
    const cursor = this.#cursor;
    if (cursor.next === '"') return readQuoted(cursor);
    const word = cursor.match(WORD);
    if (word !== undefined) return cursor.take(word.length);
    const expected = before.length === 0 ? 'a key' : `= or { after ${before.at(-1) ?? ''}`;
    throw cursor.fail(`${expected} is expected, not ${cursor.describe()}`);
  }

  #value(depth: number): PolicyNode {
    const cursor = this.#cursor;
    const at = cursor.place;
    if (cursor.next === '"') return { type: 'string', value: readQuoted(cursor), at };
    if (cursor.startsWith('<<')) return { type: 'string', value: readHeredoc(cursor), at };
    if (cursor.next === '[') return this.#list(depth);
    if (cursor.next === '{') return this.#object(depth);
    const word = cursor.match(WORD);
    if (word === 'true' || word === 'false') {
      cursor.take(word.length);
      return { type: 'boolean', value: word === 'true', at };
    }
    const number = cursor.match(NUMBER);
    if (number === undefined) throw cursor.fail(`a value is expected, not ${cursor.describe()}`);
    cursor.take(number.length);
    return { type: 'number', value: numberOf(number), at };
  }

  #object(depth: number): PolicyObject {
    const cursor = this.#cursor;
    const at = cursor.place;
    cursor.take();
    const entries = this.#entries(depth + 1);
    if (!cursor.skip('}')) throw cursor.fail('this object is not closed', at);
    return { type: 'object', entries, at };
  }

  #list(depth: number): PolicyNode {
    const cursor = this.#cursor;
    const at = cursor.place;
    if (depth > MAX_DEPTH) throw cursor.fail(`lists are nested deeper than ${MAX_DEPTH}`);
    cursor.take();
    const items: PolicyNode[] = [];
    for (;;) {
      this.#skipBlank();
      if (cursor.skip(']')) return { type: 'list', items, at };
      if (cursor.atEnd) throw cursor.fail('this list is not closed', at);
      items.push(this.#value(depth + 1));
      this.#skipBlank();
      if (cursor.next !== ']' && !cursor.skip(',')) throw cursor.fail(`, or ] is expected, not ${cursor.describe()}`);
    }
  }

  #skipBlank(): void {
    const cursor = this.#cursor;
    for (;;) {
      const blank = cursor.match(BLANK);
      if (blank !== undefined) cursor.take(blank.length);
      else if (cursor.startsWith('/*')) this.#skipComment();
      else return;
    }
  }

  #skipComment(): void {
    const cursor = this.#cursor;
    const end = cursor.text.indexOf('*/', cursor.offset + 2);
    if (end < 0) throw cursor.fail('this comment is not closed');
    cursor.take(end + 2 - cursor.offset);
  }
}

function numberOf(text: string): number {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '');
  return negative ? -Number(digits) : Number(digits);
}
