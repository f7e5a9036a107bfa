/** One thing a healthy service has. `problem` says what is missing, in a sentence, or nothing when all is well. */
export interface HealthCheck {
  readonly name: string;
  readonly problem: () => string | undefined;
}

/** What a probe answers. */
export interface HealthReport {
  readonly ok: boolean;
  /** One line a check, in the API server's own form: `[+]name ok`, `[-]name failed: reason`. */
  readonly lines: readonly string[];
}

/** Asks every check. */
export function reportHealth(checks: readonly HealthCheck[]): HealthReport {
  const results = checks.map(({ name, problem }) => ({ name, problem: problem() }));
  return {
    ok: results.every((result) => result.problem === undefined),
    lines: results.map(({ name, problem }) =>
      problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
    ),
  };
}
