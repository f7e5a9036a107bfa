import { errorText, HomeostatError } from '../base/errors.ts';
import type { LogFields } from '../base/logger.ts';
import { PhaseFailed } from '../runtime/manager.ts';

/**
 * Fields of the log line about what ended the service. A fault with a code of its own, such as a taken port, is told in one
 * sentence; for any other the stack is what helps whoever mends it.
 */
export function endFields(error: unknown): LogFields {
  const cause = error instanceof PhaseFailed ? error.cause : error;
  if (cause instanceof HomeostatError) return { code: cause.code, cause: errorText(error) };
  return { err: error instanceof Error ? error : String(error) };
}
