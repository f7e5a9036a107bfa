import type { JsonObject } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import { groupResourceOf, type ResourceType } from '../base/resource.ts';
import { isInvalid } from '../kube/api-error-predicates.ts';

/** How the API server names an unknown member under strict field validation. */
const UNKNOWN_MEMBER = /unknown field "status\.([A-Za-z0-9]+)"/g;

/**
 * Members of a status that the installed CRD does not declare, because it is older than this program. The API server refuses the
 * whole patch for one of them; a status without it is better than none.
 */
export class UndeclaredMembers {
  readonly #byType = new Map<string, Set<string>>();

  /** Takes in a refusal; true when it named a member that was not known before, so that trying again makes sense. */
  learn({ type, log }: { readonly type: ResourceType; readonly log: Logger }, error: unknown): boolean {
    if (!isInvalid(error)) return false;
    const resource = groupResourceOf(type);
    const known = this.#byType.get(resource) ?? new Set<string>();
    this.#byType.set(resource, known);
    const before = known.size;
    for (const { message = '' } of error.causes) {
      for (const [, member] of message.matchAll(UNKNOWN_MEMBER)) if (member !== undefined) known.add(member);
    }
    if (known.size === before) return false;
    const hint = 'The installed CRD does not declare all members of the status; install the CRDs of this version';
    log.warn(hint, { resource, members: [...known] });
    return true;
  }

  /** The members that may be sent. */
  without(type: ResourceType, status: JsonObject): JsonObject {
    const known = this.#byType.get(groupResourceOf(type));
    if (known === undefined) return status;
    return Object.fromEntries(Object.entries(status).filter(([member]) => !known.has(member)));
  }
}
