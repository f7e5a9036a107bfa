/** The API server advises 120 characters, and cuts all warnings of a response once 4096 are exceeded. */
const MAX_CHARACTERS = 120;

/** A person reads the first few; the rest is counted. */
const MAX_WARNINGS = 5;

/**
 * Makes warnings fit for the response: one line each, at most 120 characters, no duplicates, at most 5 and then
 * `and N more`. The API server drops a warning with a control character without a word (filters/warning.go).
 */
export function presentableWarnings(warnings: readonly string[]): readonly string[] {
  const lines = [...new Set(warnings.map(oneLine))].filter((line) => line !== '');
  if (lines.length <= MAX_WARNINGS) return lines;
  return [...lines.slice(0, MAX_WARNINGS), `and ${lines.length - MAX_WARNINGS} more`];
}

function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= MAX_CHARACTERS ? line : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
