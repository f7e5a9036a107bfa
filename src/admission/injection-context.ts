import type { Unstructured } from '../base/object.ts';
import type { Outside } from '../base/outside.ts';
import type { Lookup } from '../rules/lookup.ts';

/** What an injection looks at besides the object. */
export interface InjectionContext {
  readonly lookup: Lookup;
  /** Of the request: the object itself may not carry it yet. */
  readonly namespace: string;
  readonly outside: Outside;
}

/** The object after an injection, the very same where nothing was added, and what its author should know. */
export interface Injected {
  readonly object: Unstructured;
  readonly warnings: readonly string[];
}
