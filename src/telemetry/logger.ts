import { pino } from 'pino';
import { type Clock, toTimestamp } from '../base/clock.ts';
import type { LogFields, Logger, LogValue } from '../base/logger.ts';
import { redact } from './redact.ts';

/** Levels a line can have; `silent` writes none. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where lines go: each call carries one whole line with its newline. */
export interface LogDestination {
  write(line: string): void;
}

/** What a logger is made of. */
export interface LoggerOptions {
  readonly level: LogLevel;
  readonly destination: LogDestination;
  readonly clock: Clock;
}

/** Keys the log line itself uses. A field of that name is written with a trailing underscore. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'ts', 'msg']);

/** How deep the chain of causes of an error is followed. */
const CAUSE_DEPTH = 5;

/** Items of a list, and parts of an error, that are kept. */
const LIST_ITEMS = 50;

/**
 * The log of the service: one JSON object a line with `level`, `ts` (RFC 3339), `msg` and the fields.
 *
 * pino itself joins bindings as text, so a key bound twice stands twice in the line and strict parsers drop it. Here bindings are
 * kept as a map, each call writes the merged map, and the last value of a key wins.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { clock } = options;
  const root = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"ts":"${toTimestamp(clock.now())}"`,
      // Errors are written by this file; pino's own serializer would take the result for an error once more.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination,
  );
  return bind(root, {});
}

type Sink = Pick<ReturnType<typeof pino>, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

function bind(root: Sink, bound: Readonly<Record<string, unknown>>): Logger {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: LogFields): void => {
      if (!root.isLevelEnabled(level)) return;
      root[level](fields === undefined ? { ...bound } : { ...bound, ...lineFields(fields) }, redact(message));
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => bind(root, { ...bound, ...lineFields(fields) }),
  };
}

function lineFields(fields: LogFields): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line[RESERVED.has(key) ? `${key}_` : key] = lineValue(value);
  }
  return line;
}

function lineValue(value: LogValue): unknown {
  if (value instanceof Error) return errorFields(value, CAUSE_DEPTH);
  if (Array.isArray(value)) return shownItems(value);
  return typeof value === 'string' ? redact(value) : value;
}

function shownItems(items: readonly string[]): readonly string[] {
  const shown = items.slice(0, LIST_ITEMS).map(redact);
  return items.length > LIST_ITEMS ? [...shown, `and ${items.length - LIST_ITEMS} more`] : shown;
}

function errorFields(error: Error, depth: number): Record<string, unknown> {
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause instanceof Error && depth > 0 ? { cause: errorFields(error.cause, depth - 1) } : {};
  const parts: readonly unknown[] =
    error instanceof AggregateError && depth > 0 ? error.errors.slice(0, LIST_ITEMS) : [];
  const errors = parts.flatMap((part) => (part instanceof Error ? [errorFields(part, depth - 1)] : []));
  return {
    type: error.name,
    ...code,
    message: redact(error.message),
    stack: redact(error.stack ?? ''),
    ...cause,
    ...(errors.length === 0 ? {} : { errors }),
  };
}
