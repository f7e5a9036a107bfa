import { isRecord } from '../base/json.ts';
import type { Condition, KubeObject } from '../base/object.ts';

/** A condition before the time of its last transition is known. */
export type ConditionDraft = Omit<Condition, 'lastTransitionTime'>;

/** Longest message of a condition; longer ones are cut. Far below the 32768 of metav1.Condition, since people read them. */
const MESSAGE_LIMIT = 1024;

/** The status an object carries, as raw JSON. */
export function statusOf(object: KubeObject): Readonly<Record<string, unknown>> | undefined {
  const status = 'status' in object ? object.status : undefined;
  return isRecord(status) ? status : undefined;
}

/** The generation an object's status speaks of. */
export function observedGenerationOf(object: KubeObject): number | undefined {
  const observed = statusOf(object)?.['observedGeneration'];
  return typeof observed === 'number' ? observed : undefined;
}

/** The conditions an object carries. Entries without a type or a status, which no schema lets pass, are left out. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const conditions = statusOf(object)?.['conditions'];
  return Array.isArray(conditions) ? conditions.filter(isCondition) : [];
}

/** The condition of one type. */
export function conditionOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/**
 * The list to store: the drafts in their own order, then every stored condition that is not ours. A stored condition of ours
 * that has no draft goes. `lastTransitionTime` moves only when `status` flips (metav1.Condition).
 *
 * @param owned the types this writer is responsible for; a draft's type is owned without being listed
 */
export function mergeConditions(
  stored: readonly Condition[],
  drafts: readonly ConditionDraft[],
  owned: ReadonlySet<string>,
  timestamp: string,
): readonly Condition[] {
  const drafted = new Set(drafts.map((draft) => draft.type));
  const ours = drafts.map((draft) => {
    const before = conditionOf(stored, draft.type);
    const lastTransitionTime = before?.status === draft.status ? before.lastTransitionTime : timestamp;
    return { ...draft, message: cutMessage(draft.message), lastTransitionTime };
  });
  return [...ours, ...stored.filter((condition) => !drafted.has(condition.type) && !owned.has(condition.type))];
}

function cutMessage(message: string): string {
  if (message.length <= MESSAGE_LIMIT) return message;
  return `${message.slice(0, MESSAGE_LIMIT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function isCondition(value: unknown): value is Condition {
  return (
    isRecord(value) &&
    typeof value['type'] === 'string' &&
    (value['status'] === 'True' || value['status'] === 'False' || value['status'] === 'Unknown')
  );
}
