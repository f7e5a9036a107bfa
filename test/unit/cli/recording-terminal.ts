import type { Terminal } from '../../../src/cli/terminal.ts';

/** A terminal without colours that keeps what is written to it. */
export interface RecordingTerminal extends Terminal {
  readonly written: string[];
  readonly errors: string[];
}

/** Makes a terminal, or what stands in for one when it is not interactive. */
export function recordingTerminal(
  options: { readonly interactive?: boolean; readonly rows?: number } = {},
): RecordingTerminal {
  const [written, errors]: [string[], string[]] = [[], []];
  return {
    written,
    errors,
    out: (line) => void written.push(line),
    err: (line) => void errors.push(line),
    raw: (text) => void written.push(text),
    interactive: options.interactive ?? false,
    columns: 80,
    rows: options.rows ?? 24,
    style: (_style, text) => text,
  };
}
