import { isRecord } from '../../src/base/json.ts';
import type { Condition, KubeObject, Unstructured } from '../../src/base/object.ts';
import { formatRef, keyOf } from '../../src/base/resource.ts';
import { conditionOf, conditionsOf, observedGenerationOf, statusOf } from '../../src/status/conditions.ts';
import { conditionFaults, kstatus, type KstatusResult } from '../../src/status/kstatus.ts';
import type { AuditEntry } from '../controlplane/audit-log.ts';

/** What became of checking every status that was stored. */
export interface RevisionReport {
  /** Revisions with a status that the service wrote, by what kstatus makes of them. */
  readonly counts: Readonly<Record<KstatusResult, number>>;
  /** Each fault with the object and the revision it stands in. */
  readonly faults: readonly string[];
}

/** Longest message that metav1.Condition allows. */
const MESSAGE_LIMIT = 32_768;

/**
 * Looks at every status revision that `user` stored, in the order in which they were stored: each by itself, by the rules of kstatus,
 * of Flux's condition checker and of the API conventions, and each against the one before it.
 */
export function checkRevisions(entries: readonly AuditEntry[], user: string): RevisionReport {
  const counts: Record<KstatusResult, number> = { Terminating: 0, InProgress: 0, Failed: 0, Current: 0 };
  const faults: string[] = [];
  const before = new Map<string, Unstructured>();
  const revisions = entries.flatMap(storedObject).toSorted(byRevision);
  for (const { object, by } of revisions) {
    const { uid } = object.metadata;
    const previous = before.get(uid);
    before.set(uid, object);
    if (by !== user || statusOf(object) === undefined) continue;
    counts[kstatus(object)] += 1;
    const found = [...conditionFaults(object), ...mirrorFaults(object), ...transitionFaults(previous, object)];
    const where = `${formatRef({ kind: object.kind, ...keyOf(object) })} at ${object.metadata.resourceVersion}`;
    faults.push(...found.map((fault) => `${where}: ${fault}`));
  }
  return { counts, faults };
}

interface Revision {
  readonly object: Unstructured;
  readonly by: string;
}

/** The object that a request stored; nothing for dry runs, refusals and requests whose answer is not kept. */
function storedObject({ requestURI, responseStatus, responseObject, user }: AuditEntry): readonly Revision[] {
  const code = responseStatus?.code ?? 0;
  if (code < 200 || code >= 300 || /[?&]dryRun=/.test(requestURI) || !isRecord(responseObject)) return [];
  if (!isRecord(responseObject['metadata'])) return [];
  // The answer to a successful write of a custom resource.
  return [{ object: responseObject as Unstructured, by: user.username }];
}

function byRevision(left: Revision, right: Revision): number {
  return Number(left.object.metadata.resourceVersion) - Number(right.object.metadata.resourceVersion);
}

/** Ready speaks for the worst that stands beside it (Flux: it mirrors the most important negative condition). */
function mirrorFaults(object: KubeObject): readonly string[] {
  const conditions = conditionsOf(object);
  const [ready, stalled] = [conditionOf(conditions, 'Ready'), conditionOf(conditions, 'Stalled')];
  const faults: string[] = [];
  if (stalled !== undefined && ready !== undefined && stalled.reason !== ready.reason)
    faults.push(`Stalled says ${stalled.reason}, and Ready ${ready.reason}`);
  if (kstatus(object) === 'Current' && ready?.status !== 'True')
    faults.push('it counts as current without being Ready');
  faults.push(
    ...conditions.filter(({ message }) => message.length > MESSAGE_LIMIT).map(({ type }) => `${type} says too much`),
  );
  return faults;
}

/** `lastTransitionTime` moves when the status flips, and only then; what was observed is never forgotten. */
function transitionFaults(before: KubeObject | undefined, after: KubeObject): readonly string[] {
  if (before === undefined) return [];
  const faults = conditionsOf(after).flatMap((condition) =>
    timeFaults(conditionOf(conditionsOf(before), condition.type), condition),
  );
  const [seen, sees] = [observedGenerationOf(before), observedGenerationOf(after)];
  if (seen !== undefined && (sees === undefined || sees < seen)) faults.push('observedGeneration goes back');
  return faults;
}

function timeFaults(before: Condition | undefined, after: Condition): readonly string[] {
  if (before === undefined) return [];
  const { type, lastTransitionTime } = after;
  if (before.status === after.status && before.lastTransitionTime !== lastTransitionTime)
    return [`${type} stays ${after.status}, and its time moves`];
  return lastTransitionTime < before.lastTransitionTime ? [`the time of ${type} goes back`] : [];
}
