/** A place in a policy's text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A value as it stands in a policy's text. */
export type PolicyNode =
  | { readonly type: 'string'; readonly value: string; readonly at: Place }
  | { readonly type: 'number'; readonly value: number; readonly at: Place }
  | { readonly type: 'boolean'; readonly value: boolean; readonly at: Place }
  | { readonly type: 'list'; readonly items: readonly PolicyNode[]; readonly at: Place }
  | PolicyObject;

/** An object, with every entry it holds: duplicates are seen by whoever reads it. */
export interface PolicyObject {
  readonly type: 'object';
  readonly entries: readonly PolicyEntry[];
  readonly at: Place;
}

/** One entry of an object: `key = value`, or a block `path "secret/*" { … }` with several keys. */
export interface PolicyEntry {
  readonly keys: readonly string[];
  readonly value: PolicyNode;
  readonly at: Place;
}

/** Something is wrong at a place of a policy's text. */
export interface PolicyProblem {
  readonly at: Place;
  /** One clause, without the place. */
  readonly detail: string;
}

/** A text cannot be read on; thrown by the readers and caught by {@link parsePolicy}. */
export class PolicySyntaxError extends Error {
  readonly at: Place;

  constructor(at: Place, detail: string) {
    super(detail);
    this.name = 'PolicySyntaxError';
    this.at = at;
  }
}

/** `line 3, column 18: unknown capability "write"`. */
export function describeProblem({ at, detail }: PolicyProblem): string {
  return `line ${at.line}, column ${at.column}: ${detail}`;
}
