import type { Manifest } from '../base/object.ts';

/** One thing that a rendered manifest must not have. */
export interface LintFinding {
  /** `L01` to `L27`. */
  readonly rule: string;
  /** Kind and name of the object, and of the webhook where it is about one. */
  readonly object: string;
  readonly problem: string;
}

/** The finding as one line. */
export function formatLintFinding({ rule, object, problem }: LintFinding): string {
  return `${rule} ${object}: ${problem}`;
}

/** How a finding names an object. */
export function nameOf(object: Manifest): string {
  return `${object.kind} ${object.metadata.name}`;
}
