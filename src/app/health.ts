/** One thing a healthy service has. */
export interface HealthCheck {
  readonly name: string;
  /** What is missing, in a sentence, or nothing when all is well. Never rejects. */
  readonly problem: () => string | undefined | Promise<string | undefined>;
  /** Shown to people, without a vote. @defaultValue false */
  readonly advisory?: boolean;
}

/** What a probe answers. */
export interface HealthReport {
  readonly ok: boolean;
  /** One line a check, in the API server's own form: `[+]name ok`, `[-]name failed: reason`. */
  readonly lines: readonly string[];
}

/** Asks every check. */
export async function reportHealth(checks: readonly HealthCheck[]): Promise<HealthReport> {
  const results = await Promise.all(checks.map(async (check) => ({ ...check, found: await check.problem() })));
  return {
    ok: results.every(({ found, advisory }) => found === undefined || advisory === true),
    lines: results.map(({ name, found, advisory }) => {
      if (found === undefined) return `[+]${name} ok`;
      return advisory === true ? `[!]${name}: ${found}` : `[-]${name} failed: ${found}`;
    }),
  };
}
