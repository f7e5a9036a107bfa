const TOTAL_CHARACTERS = 4096;
const CUT_CHARACTERS = 256;

/**
 * Warning headers of one answer, with the API server's limits: empty texts, repeated ones and those with control characters
 * are dropped; beyond 4096 characters each is cut to 256 and later ones vanish.
 */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== '' && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  /**
   * The value of the header, one element per warning; undefined without warnings. Node writes one byte for each character of a
   * header, so each stands for a byte of UTF-8, which is what the API server sends.
   */
  header(): string | undefined {
    const texts = [...this.#texts];
    if (texts.length === 0) return undefined;
    const long = texts.reduce((sum, text) => sum + [...text].length, 0) > TOTAL_CHARACTERS;
    let left = TOTAL_CHARACTERS;
    const shown = texts.flatMap((text) => {
      const runes = [...text].slice(0, long ? CUT_CHARACTERS : undefined);
      left -= runes.length;
      return left < 0 ? [] : [`299 - ${quoted(runes.join(''))}`];
    });
    return Buffer.from(shown.join(', '), 'utf8').toString('latin1');
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
