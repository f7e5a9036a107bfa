import { isRecord } from '../../base/json.ts';
import type { Unstructured } from '../../base/object.ts';
import type { StoredEvent } from '../../devcluster/watch-cache.ts';

const LEASES = 'leases.coordination.k8s.io';

/** Who leads, as the stored Leases have it. */
export class Leadership {
  readonly #key: string;
  readonly #now: () => number;
  #holder = '';
  #changedMs = 0;

  /** Follows the common Lease in this namespace. */
  constructor(namespace: string, now: () => number) {
    this.#key = `${namespace}/homeostat`;
    this.#now = now;
  }

  /** Identity of who holds the common Lease; empty when nobody does. */
  get holder(): string {
    return this.#holder;
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
    const { namespace, name } = object.metadata;
    if (`${namespace ?? ''}/${name}` === this.#key) this.#holder = holder;
  }
}

function holderOf({ spec }: Unstructured): string {
  const holder = isRecord(spec) ? spec['holderIdentity'] : undefined;
  return typeof holder === 'string' ? holder : '';
}
