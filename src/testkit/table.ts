import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outside } from '../base/outside.ts';
import type { Kind } from '../sdk/kind.ts';
import type { FakeClock } from './fake-clock.ts';
import { permutations } from './permutations.ts';
import type { Row } from './row.ts';
import type { TestCluster } from './test-cluster.ts';

/** What a table may be told besides its rows. */
export interface TableOptions {
  /** Kinds that the one under test refers to; the cluster serves them too. @defaultValue none */
  readonly others?: readonly Kind[];
  /** Makes the cluster of each try. @defaultValue one in memory */
  readonly cluster?: (kinds: readonly Kind[]) => Promise<TestCluster>;
  /** Makes the systems outside the cluster for each try. @defaultValue none was configured */
  readonly outside?: (clock: FakeClock) => Outside;
}

/**
 * Tests of a kind's steps, as a table. Each row is one test with one subtest per sentence: that it comes out as expected; that
 * another pass sends nothing; that it comes to the same when the process is killed after any of its requests, and with caches
 * that are 1, 2 or 3 writes late; that it leaves nothing behind when the object is deleted in any state between; that each status
 * it writes is sound; that it uses no undeclared right; and that it promises a wake-up.
 *
 * Everything runs in memory unless told otherwise, on a clock that stands still, from a fixed seed.
 */
export function table(kind: Kind, rows: Readonly<Record<string, Row>>, options: TableOptions = {}): void {
  const { others = [], ...where } = options;
  const kinds = [...others.filter((other) => other !== kind), kind];
  for (const [name, row] of Object.entries(rows)) {
    void test(`${kind.type.kind}: ${name}`, async (context) => {
      for (const permutation of permutations) {
        await context.test(permutation.name, async () => {
          assert.deepEqual(await permutation.find({ row, kind, kinds, ...where }), []);
        });
      }
    });
  }
}
