import { styleText } from 'node:util';

/** Styles a word can have on a terminal. */
export type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan';

/** Where a command writes. Tests pass their own. */
export interface Terminal {
  /** A line of the command's result. */
  out(line: string): void;
  /** A line about trouble or progress. */
  err(line: string): void;
  /** True where a person looks at a screen that can be redrawn. */
  readonly interactive: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Raw text without a newline, for redrawing; only used when interactive. */
  raw(text: string): void;
  /** The text in a style where colours are wanted, else the text itself. */
  style(style: Style, text: string): string;
}

/** What a command needs of a stream. */
type Stream = NodeJS.WriteStream;

/** The process's own terminal. Colours follow NO_COLOR, FORCE_COLOR and whether the stream is a terminal. */
export function processTerminal(stdout: Stream, stderr: Stream): Terminal {
  return {
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    raw: (text) => void stdout.write(text),
    interactive: stdout.isTTY,
    columns: stdout.columns ?? 120,
    rows: stdout.rows ?? 40,
    style: (style, text) => styleText(style, text, { stream: stdout }),
  };
}
