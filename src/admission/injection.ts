import type { Hook } from '../base/hook.ts';
import type { Unstructured } from '../base/object.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { Injected, InjectionContext } from './injection-context.ts';
import type { AdmissionSlice } from './slice.ts';

/**
 * Completes objects of a foreign resource when they are created, from what objects of a kind say. Pure, idempotent, adds only; the hook
 * ignores failures, so objects may be missed: `judge` tells which.
 */
export interface Injection {
  readonly hook: Hook;
  readonly inject: (object: Unstructured, context: InjectionContext) => Injected;
  /** What a stored object lacks, `undefined` where it is as it would be made now, or does not ask. */
  readonly judge: (object: Unstructured, context: InjectionContext) => 'missing' | 'stale' | undefined;
  /** Index of namespaces, and the value under which those are found whose objects may ask. */
  readonly namespaces: { readonly index: string; readonly value: string };
}

/** Foreign objects are the API server's to check. */
const OPEN_SCHEMA: CompiledSchema = {
  root: { type: 'object' },
  prepare: (object) => object,
  violations: () => [],
  unknownFields: () => [],
};

/** The slices of kinds, and of what their injections complete. */
export function withInjections(
  kinds: readonly (AdmissionSlice & { readonly injection?: Injection })[],
): readonly AdmissionSlice[] {
  const injections = kinds.flatMap(({ injection }) => injection ?? []);
  return [
    ...kinds,
    ...injections.map(({ hook, inject }) => ({
      type: hook.type,
      hooks: [hook],
      schema: OPEN_SCHEMA,
      rules: [],
      inject,
    })),
  ];
}
