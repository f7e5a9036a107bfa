import { errorText, HomeostatError } from '../base/errors.ts';
import type { Hook } from '../base/hook.ts';
import type { KubeObject, Manifest } from '../base/object.ts';
import { apiVersionOf } from '../base/resource.ts';
import { decide } from './decide.ts';
import type { DecisionContext } from './decision-context.ts';
import { goldenReview } from './golden-review.ts';
import { applyPatch } from './json-patch.ts';
import { mutationPatch } from './mutation.ts';
import { decodeReview, encodeReview } from './review.ts';
import type { AdmissionSlice } from './slice.ts';

/** A hook cannot answer its golden review. Code `HOMEOSTAT_WARM_UP_FAILED`; the message names hook and operation. */
export class WarmUpFailed extends HomeostatError {
  constructor(hook: Hook, operation: string, cause: unknown) {
    super(
      'HOMEOSTAT_WARM_UP_FAILED',
      `Hook ${hook.name} cannot answer its golden review for ${operation}: ${errorText(cause)}. That review holds the kind's first sample, which must fit its schema and rules`,
      { cause },
    );
  }
}

/**
 * Runs decoder, rules, mutator and encoder of a hook once for each of its operations, on a sample, without cluster or network: a
 * missing piece shows before the first user does. Sample and empty caches may well lead to a denial; that is an answer.
 *
 * Rejects with {@link WarmUpFailed}.
 */
export async function warmUpHook(
  hook: Hook,
  slice: AdmissionSlice,
  samples: readonly Manifest[],
  operatorNamespace: string,
): Promise<void> {
  const sample = samples.find(
    (object) => object.apiVersion === apiVersionOf(hook.type) && object.kind === hook.type.kind,
  );
  const limit = { check: () => undefined, signal: new AbortController().signal };
  const options = { context: hermeticContext(operatorNamespace), limit };
  for (const operation of hook.operations) {
    const review = decodeReview(goldenReview(hook, operation, sample));
    const verdict = await decide(hook, slice, review, options);
    if (verdict.type === 'fault') throw new WarmUpFailed(hook, operation, verdict.cause);
    encodeReview(review.uid, verdict);
    if (verdict.type === 'allow' && verdict.patch !== undefined) {
      // The patch was applied once before it was returned, so it gives an object again.
      const patched = applyPatch(review.object, verdict.patch) as KubeObject;
      if (mutationPatch(slice, patched).length > 0) {
        throw new WarmUpFailed(hook, operation, new Error('its mutator changes again what it has completed'));
      }
    }
  }
}

/** Empty caches, no API server, no rights. */
function hermeticContext(operatorNamespace: string): DecisionContext {
  return {
    lookup: { get: () => undefined, byIndex: () => [] },
    live: () => Promise.resolve(undefined),
    access: { allowed: () => Promise.resolve(false) },
    isTerminating: () => false,
    operatorNamespace,
  };
}
