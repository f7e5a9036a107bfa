import type { KubeObject } from '../base/object.ts';
import { done, passed, terminal } from '../base/outcome.ts';
import type { ChainLink } from '../status/pass-report.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import { initialLinks } from './apply-pass.ts';
import type { Halt } from './classify.ts';
import { dropFinalizer } from './finalizer.ts';
import type { Pass } from './pass.ts';
import { announce, record } from './pass-events.ts';
import { type FinalizerOptions, FINALIZER_STEPS } from './pipeline.ts';
import { removeStep, runGuarded } from './run-step.ts';

/** Lets an object go although what it made could not be taken away. */
export const FORCE_FINALIZE_ANNOTATION = 'homeostat.io/force-finalize';

/** What a removal came to. Without a halt the finalizer is off. */
export interface RemovalResult {
  readonly links: readonly ChainLink[];
  readonly halt?: Halt;
}

/**
 * Removes in the strict reverse of the order of application, each step only when the later ones are confirmed gone, and takes the
 * finalizer off at the end. Starts from any partial state: a step that had made nothing confirms absence.
 *
 * @param lastWords called when all is gone and before the finalizer is; gives the object as it is then
 */
export async function removeAll(
  pass: Pass,
  finalizer: FinalizerOptions,
  lastWords: (links: readonly ChainLink[]) => Promise<KubeObject>,
): Promise<RemovalResult> {
  const links = initialLinks(pass.pipeline);
  const offset = links.length - pass.pipeline.steps.length;
  const forced = pass.cached.metadata.annotations?.[FORCE_FINALIZE_ANNOTATION] === 'true';
  if (forced) {
    const note = `The annotation ${FORCE_FINALIZE_ANNOTATION} lets this object go; what it made may stay behind`;
    record(pass, { type: 'Warning', reason: 'FinalizerForced', action: 'Finalize', note });
  }
  for (const [index, step] of [...pass.pipeline.steps.entries()].toReversed()) {
    const { remove } = step;
    const link = links[offset + index];
    if (remove === undefined || link === undefined || forced) continue;
    const outcome = await removeStep(pass, step, remove);
    if (passed(outcome)) {
      if (outcome.type === 'done') announce(pass, outcome, undefined);
      links[offset + index] = { ...link, result: { type: 'removed' } };
      continue;
    }
    const halt = withEscape(outcome);
    links[offset + index] = { ...link, result: { type: 'halted', outcome: halt } };
    return { links: [...links, deletedLink(finalizer, asWait(halt, finalizer))], halt };
  }
  const step = { name: FINALIZER_STEPS.delete, condition: finalizer.deleted };
  const dropped = await runGuarded(pass, step, async () => {
    await dropFinalizer(pass, await lastWords(goneLinks(links, finalizer)), finalizer.name);
    return done(undefined);
  });
  if (passed(dropped)) return { links };
  return { links: [...links, deletedLink(finalizer, dropped)], halt: dropped };
}

/** The chain when nothing of ours is left: what a step without a removal had made is gone with the rest. */
function goneLinks(links: readonly ChainLink[], finalizer: FinalizerOptions): readonly ChainLink[] {
  const result = { type: 'passed', status: 'True', reason: ENGINE_REASONS.succeeded, message: '' } as const;
  return [
    ...links.map((link): ChainLink => ({ ...link, result: { type: 'removed' } })),
    { step: FINALIZER_STEPS.delete, condition: finalizer.deleted, result },
  ];
}

function deletedLink(finalizer: FinalizerOptions, outcome: Halt): ChainLink {
  return { step: FINALIZER_STEPS.delete, condition: finalizer.deleted, result: { type: 'halted', outcome } };
}

/** A wait that is worth an Event shows it as its reason: a deletion that gets stuck later on is told of then. */
function asWait(halt: Halt, { waiting: reason }: FinalizerOptions): Halt {
  if (halt.type !== 'waiting') return halt;
  return { ...halt, reason: halt.event ?? reason ?? halt.reason };
}

/** Missing rights may never come back, and nobody looks at a deletion that hangs: it stalls, and says how to get out. */
function withEscape(halt: Halt): Halt {
  if (halt.type === 'transient' || halt.reason !== ENGINE_REASONS.forbidden) return halt;
  const message = `${halt.message}; grant the right, or give up the cleanup with the annotation ${FORCE_FINALIZE_ANNOTATION}: "true"`;
  return terminal(halt.reason, message);
}
