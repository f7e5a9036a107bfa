import { formatKey, groupResourceOf } from '../base/resource.ts';
import { ApiError } from '../kube/api-error.ts';
import type { Request } from './intercepted-client.ts';

/** One request that goes wrong. */
export interface Fault {
  readonly verb: Request['verb'];
  /** Which of the requests of this verb, counted from 1. */
  readonly nth: number;
  /** HTTP status of the answer. */
  readonly code: number;
  readonly reason: string;
}

/** The nth request of a verb is answered with an HTTP error instead of being carried out, once. */
export function failNth(verb: Request['verb'], nth: number, code: number, reason = 'InternalError'): Fault {
  return { verb, nth, code, reason };
}

/** Counts requests and throws what the client throws for those that are planned to fail. */
export class PlannedFaults {
  readonly #faults: readonly Fault[];
  readonly #seen = new Map<Request['verb'], number>();

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
  }

  /** @throws ApiError where this request is to fail */
  strike(request: Request): void {
    const nth = (this.#seen.get(request.verb) ?? 0) + 1;
    this.#seen.set(request.verb, nth);
    const fault = this.#faults.find((planned) => planned.verb === request.verb && planned.nth === nth);
    if (fault === undefined) return;
    const { code, reason } = fault;
    const target = {
      verb: request.verb,
      resource: groupResourceOf(request.type),
      key: request.key === undefined ? '' : formatKey(request.key),
    };
    throw new ApiError(target, code, { kind: 'Status', code, reason, message: `${reason}, as the test planned` });
  }
}
