import { isForbidden } from '../kube/api-error-predicates.ts';
import { listObjects } from '../kube/list-objects.ts';
import type { Kind } from '../sdk/kind.ts';
import { type ObjectSummary, type ReportAccess, summaryOf } from './object-report.ts';

/** Where all objects of some kinds stand. */
export interface Summaries {
  readonly objects: readonly ObjectSummary[];
  /** Plurals of the kinds that were left out, because the caller may not list them. */
  readonly hidden: readonly string[];
}

/**
 * Lists the objects of these kinds, those with a namespace in the given one alone. Whoever has rights in that namespace only may not
 * list the kinds of the cluster: where they are some of several, they are left out. Rejects with every other refusal.
 */
export async function listSummaries(
  kinds: readonly Kind[],
  namespace: string | undefined,
  { client, signal }: ReportAccess,
): Promise<Summaries> {
  const [objects, hidden]: [ObjectSummary[], string[]] = [[], []];
  for (const { type } of kinds) {
    const query = namespace === undefined || !type.namespaced ? {} : { namespace };
    try {
      for await (const object of listObjects(client, type, query, { signal })) objects.push(summaryOf(object));
    } catch (error) {
      const mayBeLeftOut = namespace !== undefined && !type.namespaced && kinds.length > 1;
      if (!mayBeLeftOut || !isForbidden(error)) throw error;
      hidden.push(type.plural);
    }
  }
  return { objects, hidden };
}
