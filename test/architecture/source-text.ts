/** A piece of the text, by offsets; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text divided into what is code and what only looks like it. */
export interface ScannedText {
  /** The text with the inside of comments, strings and regular expressions blanked; offsets and lines stay. */
  readonly code: string;
  readonly comments: readonly Span[];
  /** Strings in quotes, with them. Templates are not among them. */
  readonly strings: readonly Span[];
}

const regexpMayFollow =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|void|delete|throw|new|yield|await|else))$/;
const regexp = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const quoted = /'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"/y;
const comment = /\/\/[^\n]*|\/\*[^]*?\*\//y;
const templateText = /(?:\\[^]|\$(?!\{)|[^`\\$])*/y;

/**
 * Divides TypeScript into code, comments and strings. It knows what a lexer must (nested templates, regular expressions by what
 * precedes them) and nothing of the grammar. Throws when braces do not close, as they hardly ever do in a text that was misread.
 */
export function scanText(text: string): ScannedText {
  return new Scanner(text).run();
}

class Scanner {
  readonly #text: string;
  readonly #comments: Span[] = [];
  readonly #strings: Span[] = [];
  /** Depth of braces at which each open `${` closes, the innermost last. */
  readonly #templates: number[] = [];
  #code = '';
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): ScannedText {
    while (this.#code.length < this.#text.length) this.#step();
    if (this.#depth !== 0) throw new Error('The braces do not close: this scanner does not understand the text.');
    return { code: this.#code, comments: this.#comments, strings: this.#strings };
  }

  #step(): void {
    const start = this.#code.length;
    if (this.#blank(comment, 0)) this.#comments.push({ start, end: this.#code.length });
    else if (this.#blank(quoted, 1)) this.#strings.push({ start, end: this.#code.length });
    else if (regexpMayFollow.test(this.#code.slice(-80).trimEnd()) && this.#blank(regexp, 1)) return;
    else this.#take(this.#text.charAt(start));
  }

  #take(character: string): void {
    this.#code += character;
    if (character === '{') this.#depth++;
    else if (character === '`') this.#template();
    else if (character === '}') {
      if (this.#templates.at(-1) === this.#depth--) {
        this.#templates.pop();
        this.#template();
      }
    }
  }

  // Continues behind a backtick or behind the brace that closed a substitution, up to the next of either.
  #template(): void {
    this.#blank(templateText, 0);
    if (this.#text.startsWith('${', this.#code.length)) {
      this.#code += '${';
      this.#templates.push(++this.#depth);
    } else if (this.#code.length < this.#text.length) this.#code += '`';
  }

  // Takes what matches here, keeping `edge` characters at both ends and every line break.
  #blank(pattern: RegExp, edge: number): boolean {
    pattern.lastIndex = this.#code.length;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return false;
    const inside = found.slice(edge, found.length - edge).replaceAll(/[^\n]/g, ' ');
    this.#code += found.length < 2 * edge ? found : found.slice(0, edge) + inside + found.slice(found.length - edge);
    return true;
  }
}
