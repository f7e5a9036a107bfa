import type { PolicyEntry, PolicyNode, PolicyObject } from './policy-tree.ts';
import { TextCursor } from './text-cursor.ts';

const BLANK = /[ \t\r\n]+/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /true|false|null/y;

/** Deeper than any policy goes. */
const MAX_DEPTH = 32;

/**
 * Reads a policy that is written as JSON, keeping places and duplicate keys, which `JSON.parse` loses.
 *
 * @throws PolicySyntaxError with line and column
 */
export function readJson(text: string): PolicyObject {
  const cursor = new TextCursor(text);
  skipBlank(cursor);
  const value = readValue(cursor, 0);
  skipBlank(cursor);
  if (!cursor.atEnd) throw cursor.fail(`nothing more is expected, not ${cursor.describe()}`);
  if (value.type !== 'object') throw cursor.fail('a policy is an object', value.at);
  return value;
}

function readValue(cursor: TextCursor, depth: number): PolicyNode {
  if (depth > MAX_DEPTH) throw cursor.fail(`values are nested deeper than ${MAX_DEPTH}`);
  const at = cursor.place;
  if (cursor.next === '{') return readObject(cursor, depth);
  if (cursor.next === '[') return readList(cursor, depth);
  if (cursor.next === '"') return { type: 'string', value: readString(cursor), at };
  const word = cursor.match(WORD);
  if (word === 'null') throw cursor.fail('null has no meaning in a policy');
  if (word !== undefined) {
    cursor.take(word.length);
    return { type: 'boolean', value: word === 'true', at };
  }
  const number = cursor.match(NUMBER);
  if (number === undefined) throw cursor.fail(`a value is expected, not ${cursor.describe()}`);
  cursor.take(number.length);
  return { type: 'number', value: Number(number), at };
}

function readString(cursor: TextCursor): string {
  const text = cursor.match(STRING);
  if (text === undefined)
    throw cursor.fail('a string in double quotes is expected, closed and without control characters');
  cursor.take(text.length);
  const value: unknown = JSON.parse(text);
  return String(value);
}

function readObject(cursor: TextCursor, depth: number): PolicyObject {
  const at = cursor.place;
  cursor.take();
  const entries: PolicyEntry[] = [];
  for (skipBlank(cursor); !cursor.skip('}'); skipBlank(cursor)) {
    if (entries.length > 0) expect(cursor, ',', 'or }');
    skipBlank(cursor);
    const keyAt = cursor.place;
    const key = readString(cursor);
    skipBlank(cursor);
    expect(cursor, ':', `after the key ${JSON.stringify(key)}`);
    skipBlank(cursor);
    entries.push({ keys: [key], value: readValue(cursor, depth + 1), at: keyAt });
  }
  return { type: 'object', entries, at };
}

function readList(cursor: TextCursor, depth: number): PolicyNode {
  const at = cursor.place;
  cursor.take();
  const items: PolicyNode[] = [];
  for (skipBlank(cursor); !cursor.skip(']'); skipBlank(cursor)) {
    if (items.length > 0) expect(cursor, ',', 'or ]');
    skipBlank(cursor);
    items.push(readValue(cursor, depth + 1));
  }
  return { type: 'list', items, at };
}

function expect(cursor: TextCursor, character: string, where: string): void {
  if (!cursor.skip(character)) throw cursor.fail(`${character} ${where} is expected, not ${cursor.describe()}`);
}

function skipBlank(cursor: TextCursor): void {
  const blank = cursor.match(BLANK);
  if (blank !== undefined) cursor.take(blank.length);
}
