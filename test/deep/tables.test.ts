import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clusterConfigKind } from '../../src/kinds/clusterconfig/index.ts';
import { environmentKind } from '../../src/kinds/environment/index.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { Kind } from '../../src/sdk/kind.ts';
import { permutations } from '../../src/testkit/permutations.ts';
import type { Row } from '../../src/testkit/row.ts';
import { clusterConfigRows } from '../support/cluster-config-rows.ts';
import { environmentRows } from '../support/environment-rows.ts';
import { RealTestClusters } from './real-test-cluster.ts';

// The tables of the shipped kinds as in test/unit/kinds, on a real control plane.
const clusters = await RealTestClusters.start();
after(async () => clusters.close());

/** Sentences that set a row up once for each request it takes: only these rows are tried with them. */
const LONG: ReadonlySet<string> = new Set([
  'comes to the same wherever it is killed',
  'comes to the same with caches that lag',
  'leaves nothing behind wherever it is deleted',
]);
const TRIED_AT_LENGTH: ReadonlySet<string> = new Set([
  'a config counts the Environments that use it',
  'a namespace and a quota are made',
  'with the policy Orphan the namespace outlives its Environment',
  'a binding to another role is made anew',
]);

function realTable(kind: Kind, rows: Readonly<Record<string, Row>>): void {
  for (const [name, row] of Object.entries(rows)) {
    void test(`${kind.type.kind}: ${name}`, async (context) => {
      for (const permutation of permutations) {
        if (LONG.has(permutation.name) && !TRIED_AT_LENGTH.has(name)) continue;
        await context.test(permutation.name, async () => {
          const trial = { row, kind, kinds, cluster: clusters.empty.bind(clusters) };
          assert.deepEqual(await permutation.find(trial), []);
        });
      }
    });
  }
}

realTable(clusterConfigKind, clusterConfigRows);
realTable(environmentKind, environmentRows);
