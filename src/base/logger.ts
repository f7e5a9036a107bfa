/** Values a log field may hold. Objects of the cluster are never logged; their names are. */
export type LogValue = string | number | boolean | null | undefined | Error | readonly string[];

/** Fields of one line. `level`, `time` and `msg` belong to the logger itself. */
export type LogFields = Readonly<Record<string, LogValue>>;

/**
 * Structured log as a port. Each line is one JSON object whose keys are unique, whatever is bound or passed: bound fields
 * are merged, a later binding of the same key wins.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each of its lines. */
  with(fields: LogFields): Logger;
}
