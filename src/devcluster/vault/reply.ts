/** What the fake answers, before it becomes text. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer with a body. */
export function json(status: number, body: unknown): Reply {
  return { status, body };
}

/** A refusal in Vault's form. */
export function failure(status: number, ...errors: readonly string[]): Reply {
  return json(status, { errors });
}

/** Done, and nothing to say. */
export const NO_CONTENT: Reply = { status: 204 };

/** Nothing is there. */
export const ABSENT: Reply = json(404, { errors: [] });
