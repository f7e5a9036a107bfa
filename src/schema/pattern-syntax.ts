/** A set of code points as inclusive ranges. */
export type CodePoints = readonly (readonly [from: number, to: number])[];

/** One repeated part of a sequence: a character of a set, or a group of alternatives. */
export interface Piece {
  readonly atom: { readonly set: CodePoints } | { readonly alternatives: readonly Sequence[] };
  readonly min: number;
  readonly max: number;
}

/** Pieces that follow one another; anchors are left out, since they match no text. */
export type Sequence = readonly Piece[];

/** A pattern uses something outside the dialect that RE2 and ECMAScript share. The message is the problem. */
export class PatternProblem extends Error {}

/** Repeats above this are refused by RE2. */
const MAX_REPEAT = 1000;

const LAST_CODE_POINT = 0x10ffff;
const SYNTAX = new Set('^$\\.*+?()[]{}|');
const CLASS_SYNTAX = new Set('^\\]-[');
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Reads a pattern written in the dialect that RE2 and ECMAScript's `u` mode share: literals, classes, groups without flags or
 * names, alternatives, repeats, anchors. Everything whose meaning differs, or that one of them refuses, is refused here.
 *
 * @throws {@link PatternProblem}
 */
export function parsePattern(pattern: string): readonly Sequence[] {
  const reader = new PatternReader(pattern);
  const alternatives = readAlternatives(reader);
  if (reader.next !== '') throw new PatternProblem('closes a group that is not open');
  return alternatives;
}

class PatternReader {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  /** The character to be read, empty at the end. */
  get next(): string {
    return this.#characters[this.#position] ?? '';
  }

  take(): string {
    const character = this.next;
    this.#position += 1;
    return character;
  }

  /** Reads the text if it stands here. */
  skip(text: string): boolean {
    const here = this.#characters.slice(this.#position, this.#position + text.length).join('');
    if (here !== text) return false;
    this.#position += text.length;
    return true;
  }
}

function readAlternatives(reader: PatternReader): readonly Sequence[] {
  const alternatives = [readSequence(reader)];
  while (reader.skip('|')) alternatives.push(readSequence(reader));
  return alternatives;
}

function readSequence(reader: PatternReader): Sequence {
  const pieces: Piece[] = [];
  while (reader.next !== '' && reader.next !== '|' && reader.next !== ')') {
    if (reader.skip('^') || reader.skip('$')) continue;
    const atom = readAtom(reader);
    pieces.push({ atom, ...readRepeat(reader) });
  }
  return pieces;
}

function readAtom(reader: PatternReader): Piece['atom'] {
  const character = reader.take();
  if (character === '(') return readGroup(reader);
  if (character === '[') return { set: readClass(reader) };
  if (character === '\\') return { set: single(readEscape(reader, SYNTAX)) };
  if (character === '.') throw new PatternProblem('uses ".", for which line ends differ; write a class such as [^\\n]');
  if (SYNTAX.has(character)) throw new PatternProblem(`needs an escape before ${JSON.stringify(character)}`);
  return { set: single(character) };
}

function readGroup(reader: PatternReader): Piece['atom'] {
  if (!reader.skip('?:') && reader.next === '?') {
    throw new PatternProblem('uses a group with "?"; only "(?:" is the same in both dialects');
  }
  const alternatives = readAlternatives(reader);
  if (!reader.skip(')')) throw new PatternProblem('does not close a group');
  return { alternatives };
}

function readEscape(reader: PatternReader, allowed: ReadonlySet<string>): string {
  const character = reader.take();
  const control = Object.hasOwn(CONTROLS, character) ? CONTROLS[character] : undefined;
  if (control !== undefined) return control;
  if (allowed.has(character)) return character;
  throw new PatternProblem(`uses the escape "\\${character}", which differs between dialects or is not needed`);
}

function readClass(reader: PatternReader): CodePoints {
  const negated = reader.skip('^');
  const ranges: (readonly [number, number])[] = [];
  while (!reader.skip(']')) {
    const from = codePoint(readClassCharacter(reader));
    if (!reader.skip('-')) ranges.push([from, from]);
    // A dash before the end of the class stands for itself.
    else if (reader.next === ']') ranges.push([from, from], [DASH, DASH]);
    else ranges.push([from, codePoint(readClassCharacter(reader))]);
  }
  if (ranges.length === 0) throw new PatternProblem('uses an empty class');
  return negated ? complement(ranges) : ranges;
}

const DASH = codePoint('-');

function readClassCharacter(reader: PatternReader): string {
  const character = reader.take();
  if (character === '') throw new PatternProblem('does not close a class');
  if (character === '\\') return readEscape(reader, CLASS_SYNTAX);
  if (character === '[') throw new PatternProblem('needs an escape before "[" inside a class');
  return character;
}

function readRepeat(reader: PatternReader): Pick<Piece, 'min' | 'max'> {
  const repeat = repeatAt(reader);
  // A lazy repeat matches the same texts.
  if (repeat !== undefined) reader.skip('?');
  return repeat ?? { min: 1, max: 1 };
}

function repeatAt(reader: PatternReader): Pick<Piece, 'min' | 'max'> | undefined {
  if (reader.skip('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (reader.skip('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (reader.skip('?')) return { min: 0, max: 1 };
  if (!reader.skip('{')) return undefined;
  let text = '';
  while (reader.next !== '' && !reader.skip('}')) text += reader.take();
  const [, min, comma, max] = /^([0-9]+)(,?)([0-9]*)$/.exec(text) ?? [];
  if (min === undefined) throw new PatternProblem(`has no repeat it could read in {${text}}`);
  const most = max === undefined || max === '' ? (comma === ',' ? Number.POSITIVE_INFINITY : Number(min)) : Number(max);
  if (Math.max(Number(min), Number.isFinite(most) ? most : 0) > MAX_REPEAT) {
    throw new PatternProblem(`repeats more than ${MAX_REPEAT} times, which RE2 refuses`);
  }
  return { min: Number(min), max: most };
}

function complement(ranges: CodePoints): CodePoints {
  const gaps: (readonly [number, number])[] = [];
  let from = 0;
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    if (start > from) gaps.push([from, start - 1]);
    from = Math.max(from, end + 1);
  }
  return from <= LAST_CODE_POINT ? [...gaps, [from, LAST_CODE_POINT]] : gaps;
}

function single(character: string): CodePoints {
  return [[codePoint(character), codePoint(character)]];
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
