/** Options of every error of this project. */
export interface HomeostatErrorOptions {
  readonly cause?: unknown;
}

/**
 * Base of the errors this project throws. `code` is stable and documented in docs/errors; the message says what happened,
 * to which object or file, and what to do next.
 */
export class HomeostatError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options: HomeostatErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HomeostatError';
    this.code = code;
  }
}

/** The message of anything thrown, on one line. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

/** Throws when a statement that the code itself guarantees does not hold: a bug, never a matter of input. */
export function invariant(condition: boolean, statement: string): asserts condition {
  if (!condition) throw new HomeostatError('HOMEOSTAT_BUG', `A statement that must hold does not: ${statement}`);
}

/** Closes an exhaustive switch: a new member of the union becomes a compile error here. */
export function unreachable(value: never): never {
  throw new HomeostatError('HOMEOSTAT_BUG', `Unexpected value ${JSON.stringify(value)}`);
}
