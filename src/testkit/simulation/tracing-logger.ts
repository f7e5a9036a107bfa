import type { LogFields, Logger } from '../../base/logger.ts';
import type { Trace } from './trace.ts';

/** A logger whose warnings and errors become lines of the trace. */
export function tracingLogger(trace: Trace, who: string): Logger {
  const say =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      trace.note(who, `${level}: ${message}${fields === undefined ? '' : textOf(fields)}`);
  const quiet = (): void => undefined;
  const logger: Logger = { debug: quiet, info: quiet, warn: say('warns'), error: say('error'), with: () => logger };
  return logger;
}

function textOf(fields: LogFields): string {
  const words = Object.entries(fields).map(([name, value]) => {
    if (value instanceof Error) return `${name}=${value.message}`;
    return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return ` ${words.join(' ')}`;
}
