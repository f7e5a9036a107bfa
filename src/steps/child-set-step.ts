import type { KubeObject, Manifest } from '../base/object.ts';
import { done, noop, type Notice, type Outcome, waiting } from '../base/outcome.ts';
import { formatRef, type ResourceType } from '../base/resource.ts';
import type { Touch } from '../base/touch.ts';
import { ENGINE_REASONS } from '../status/reasons.ts';
import type { ChildChange, ChildConflict, ChildSet, ChildSetResult } from './child-set.ts';
import type { Step, StepContext } from './step.ts';

/** What a step wants to exist: the manifests of one resource in one namespace. */
export type DesiredChildren = Pick<ChildSet, 'namespace' | 'fresh'> & { readonly manifests: readonly Manifest[] };

/** A step that does nothing but keep children of one resource. */
export interface ChildSetStepOptions<K extends KubeObject, Needs extends object, Gives extends object>
  extends Pick<ChildSet, 'type' | 'normalise' | 'unordered' | 'quantities' | 'immutable' | 'merge'> {
  readonly name: string;
  readonly condition: string;
  /** The children, or an outcome where they cannot be told: nothing is sent or deleted then. */
  readonly desired: (
    context: StepContext<K, Needs>,
  ) => DesiredChildren | Exclude<Outcome<Gives>, { readonly type: 'done' }>;
  /** What the later steps and the status get. @defaultValue nothing */
  readonly gives?: (names: readonly string[]) => Gives;
  /** The Event that tells of a change. @defaultValue none: Ready says enough */
  readonly notice?: (change: ChildChange) => Notice | undefined;
  /** Rights beyond those on the children. */
  readonly touches?: readonly Touch[];
}

/** A foreign object is outside our label-selected watches, so its going wakes nobody. */
const CONFLICT_RECHECK_MS = 5 * 60_000;

/** Conflicts named in one message. */
const NAMED = 3;

/**
 * Makes a step of a child set. Its outcomes: `Applied` or `NothingToDo`; waiting with `Conflict` while an object of that name is
 * somebody else's, and with `Progressing` while a child is being deleted. The other children are converged all the same.
 */
export function childSetStep<K extends KubeObject, Needs extends object, Gives extends object = object>(
  options: ChildSetStepOptions<K, Needs, Gives>,
): Step<K, Needs, Gives> {
  const { name, condition, desired, gives, notice, touches = [], ...rules } = options;
  return {
    name,
    condition,
    touches: [childTouch(options.type), ...touches],
    apply: async (context) => {
      const wanted = desired(context);
      if ('type' in wanted) return wanted;
      const { manifests, ...place } = wanted;
      const result = await context.api.applyChildren({ ...rules, ...place, desired: manifests });
      const names = manifests.map((manifest) => manifest.metadata.name);
      // Without `gives` the type parameter keeps its default, the empty object.
      return toOutcome(result, gives?.(names) ?? ({} as Gives), notice, names.length);
    },
  };
}

function toOutcome<Gives>(
  result: ChildSetResult,
  value: Gives,
  notice: ((change: ChildChange) => Notice | undefined) | undefined,
  count: number,
): Outcome<Gives> {
  if (result.conflicts.length > 0) {
    const on = result.conflicts.map(({ ref }) => ref);
    return waiting('Conflict', describeConflicts(result.conflicts), {
      on,
      event: 'Conflict',
      requeueAfterMs: CONFLICT_RECHECK_MS,
    });
  }
  if (result.terminating.length > 0) {
    const named = result.terminating.slice(0, NAMED).map(formatRef).join(', ');
    return waiting(ENGINE_REASONS.progressing, `${named} is being deleted and will be made anew`, {
      on: result.terminating,
    });
  }
  const reason = count === 0 ? 'NothingToDo' : 'Applied';
  const message = count === 0 ? 'Nothing is asked for' : '';
  const notices = [...result.changes.flatMap((change) => notice?.(change) ?? []), ...result.notices];
  if (result.changes.length === 0 && notices.length === 0) return noop(value, { reason, message });
  const drift = result.changes.flatMap((change) => change.drift);
  const [first] = result.changes;
  const wrote = first === undefined ? {} : { wrote: `${formatRef(first.ref)} ${first.places[0] ?? first.action}` };
  return done(value, { reason, message, drift, notices, ...wrote });
}

function describeConflicts(conflicts: readonly ChildConflict[]): string {
  const named = conflicts.slice(0, NAMED).map(({ ref, owner }) => `${formatRef(ref)} belongs to ${owner}`);
  const more = conflicts.length > NAMED ? `, and ${conflicts.length - NAMED} more are not ours` : '';
  return `${named.join(', ')}${more}: delete or rename it, or use another name here`;
}

function childTouch({ group, plural }: ResourceType): Touch {
  return { type: { group, plural }, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] };
}
