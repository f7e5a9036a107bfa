import { isRecord } from '../../base/json.ts';
import type { Unstructured } from '../../base/object.ts';
import type { StoredEvent } from '../../devcluster/watch-cache.ts';

const LEASES = 'leases.coordination.k8s.io';

/** Who leads, as the stored Leases have it. */
export class Leadership {
  readonly #now: () => number;
  readonly #holders = new Map<string, string>();
  #changedMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Name of the process that holds the Lease of this name, be it its own or borrowed; empty when nobody does. */
  holderOf(lease: string): string {
    return this.#holders.get(lease) ?? '';
  }

  /** When any Lease last changed hands. */
  get changedMs(): number {
    return this.#changedMs;
  }

  /** Hears of each write, whoever made it. */
  stored({ resource, type, object, previous }: StoredEvent): void {
    if (resource !== LEASES) return;
    const holder = type === 'DELETED' ? '' : holderOf(object);
    if (previous === undefined || holder !== holderOf(previous)) this.#changedMs = this.#now();
    this.#holders.set(object.metadata.name, processOf(holder));
  }
}

/** The name in an identity such as `r1.1_uuid` or `homeostat/r1.1_uuid`. */
function processOf(holder: string): string {
  return /([^/_]+)_[^/]*$/.exec(holder)?.[1] ?? '';
}

function holderOf({ spec }: Unstructured): string {
  const holder = isRecord(spec) ? spec['holderIdentity'] : undefined;
  return typeof holder === 'string' ? holder : '';
}
