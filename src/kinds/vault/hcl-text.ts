import type { TextCursor } from './text-cursor.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** How many hexadecimal digits follow the letter of an escape. */
const HEX_ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** What has no meaning of its own, inside of `${…}` and outside. */
const PLAIN = /[^"\\$\n{}]+/y;

const HEREDOC = /<<(-?)([A-Za-z_][-A-Za-z0-9_.]*)[ \t]*\r?\n/y;

/** Reads a quoted string. What stands in `${…}` is taken as it is, quotes included, as HCL 1 does. */
export function readQuoted(cursor: TextCursor): string {
  const start = cursor.place;
  cursor.take();
  let value = '';
  for (let depth = 0; ; ) {
    if (cursor.atEnd) throw cursor.fail('this string is not closed', start);
    if (cursor.startsWith('${')) {
      depth++;
      value += cursor.take(2);
      continue;
    }
    const plain = cursor.match(PLAIN);
    if (plain !== undefined) {
      value += cursor.take(plain.length);
      continue;
    }
    const character = cursor.next;
    if (depth > 0) {
      if (character === '{') depth++;
      if (character === '}') depth--;
      value += cursor.take();
    } else if (character === '"') {
      cursor.take();
      return value;
    } else if (character === '\n') {
      throw cursor.fail('this string is not closed on its line', start);
    } else {
      value += character === '\\' ? readEscape(cursor) : cursor.take();
    }
  }
}

function readEscape(cursor: TextCursor): string {
  const at = cursor.place;
  cursor.take();
  const letter = cursor.take();
  const plain = ESCAPES[letter];
  if (plain !== undefined) return plain;
  const digits = HEX_ESCAPES[letter];
  const code = digits === undefined ? '' : cursor.take(digits);
  const point = Number.parseInt(code, 16);
  if (digits === undefined || !/^[0-9a-fA-F]+$/.test(code) || code.length !== digits || point > 0x10ffff) {
    throw cursor.fail(`\\${letter} is no escape that a string may hold`, at);
  }
  return String.fromCodePoint(point);
}

/**
 * Reads `<<WORD` or `<<-WORD` with its lines; the latter takes off what all lines are indented by. A line that looks like the last one and
 * is none to HCL 1 is refused: what a person reads as rules after it would be text to Vault, or the other way round.
 */
export function readHeredoc(cursor: TextCursor): string {
  const start = cursor.place;
  const head = cursor.match(HEREDOC);
  if (head === undefined) throw cursor.fail('<< must be followed by a word and the end of the line');
  cursor.take(head.length);
  const indented = head.startsWith('<<-');
  const word = head.replace(/^<<-?/, '').trim();
  const lines: string[] = [];
  for (;;) {
    if (cursor.atEnd) throw cursor.fail(`this text is not closed by a line that says ${word}`, start);
    const end = cursor.text.indexOf('\n', cursor.offset);
    const line = cursor.text.slice(cursor.offset, end < 0 ? cursor.text.length : end);
    if (line.trim() === word) {
      if (end < 0 || !endsHeredoc(line, word, indented)) {
        throw cursor.fail(
          `the line that closes this text has nothing behind ${word}, not even a blank, and is indented after <<-`,
        );
      }
      cursor.take(line.length);
      return indented ? withoutIndent(lines) : lines.map((text) => `${text}\n`).join('');
    }
    cursor.take(line.length + 1);
    lines.push(line);
  }
}

/** HCL 1 takes blanks before the word and none behind it, and after `<<-` no line that is shorter than `-WORD` (scanner.go, scanHeredoc). */
function endsHeredoc(line: string, word: string, indented: boolean): boolean {
  const text = line.replace(/\r$/, '');
  return (
    /^[ \t]*$/.test(text.slice(0, -word.length)) && text.endsWith(word) && (!indented || text.length > word.length)
  );
}

function withoutIndent(lines: readonly string[]): string {
  const widths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/[^ \t]/));
  const common = widths.length === 0 ? 0 : Math.min(...widths);
  return lines.map((line) => `${line.slice(common)}\n`).join('');
}
