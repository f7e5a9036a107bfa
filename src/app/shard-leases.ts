import type { BorrowedLeases } from '../runtime/borrowed-leases.ts';
import type { LeaseValidity } from '../runtime/lease-guard.ts';
import { type ShardDeclaration, type ShardName, shardOf } from '../runtime/shard.ts';
import type { LeaseStanding } from '../runtime/shard-claim.ts';

/** The Leases an instance works under: its own, and those of other shards as long as objects need them. */
export class ShardLeases {
  readonly declaration: ShardDeclaration;
  readonly #own: LeaseValidity;
  #borrowed: BorrowedLeases | undefined;

  constructor(declaration: ShardDeclaration, own: LeaseValidity) {
    this.declaration = declaration;
    this.#own = own;
  }

  /** A term of leadership begins or ends. */
  lend(borrowed: BorrowedLeases | undefined): void {
    this.#borrowed = borrowed;
  }

  standing(shard: ShardName): LeaseStanding {
    if (shard === shardOf(this.declaration)) return this.#own.isValid() ? 'held' : 'open';
    return this.#borrowed?.standing(shard) ?? 'open';
  }

  /** Whether all of them are held at this moment; a borrowed one counts only together with the own. */
  holdsAll(shards: readonly ShardName[]): boolean {
    return this.#own.isValid() && shards.every((shard) => this.standing(shard) === 'held');
  }

  /** As `BorrowedLeases.need`; the own Lease may be among them. */
  need(who: string, shards: readonly ShardName[], wake: () => void): void {
    const own = shardOf(this.declaration);
    this.#borrowed?.need(
      who,
      shards.filter((shard) => shard !== own),
      wake,
    );
  }
}
