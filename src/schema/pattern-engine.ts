/** Longest text a pattern is tried on, in code points: every pattern's `maxLength` lies within it. */
export const MAX_PATTERN_LENGTH = 4096;

/** Regular expressions as ajv asks for them. */
export interface PatternEngine {
  (pattern: string, flags: string): { test(text: string): boolean };
  readonly code: string;
}

/**
 * Regular expressions that never look at text beyond {@link MAX_PATTERN_LENGTH}: such text breaks its `maxLength` as well, so
 * it is refused either way, and a backtracking engine does not get to work on a megabyte.
 */
export const boundedPatterns: PatternEngine = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    return {
      test: (text: string) => text.length <= MAX_PATTERN_LENGTH * 2 && expression.test(text),
      // ajv keeps compiled patterns by this text.
      toString: () => String(expression),
    };
  },
  { code: 'boundedPatterns' },
);
