import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandsOf, type Demand } from '../../../src/app/informer-table.ts';
import { SERVICE_ACCOUNTS } from '../../../src/kube/well-known.ts';
import { environmentKind } from '../../../src/kinds/environment/index.ts';
import type { Kind } from '../../../src/sdk/kind.ts';
import type { Watch } from '../../../src/sdk/index.ts';

/** A kind that watches ServiceAccounts like this and nothing else. */
function watching(watch: Partial<Watch>): Kind {
  return { ...environmentKind, indexes: [], watches: [{ type: SERVICE_ACCOUNTS, toKeys: () => [], ...watch }] };
}

function demandOf(...kinds: readonly Kind[]): Demand | undefined {
  return demandsOf(kinds).find(({ type }) => type === SERVICE_ACCOUNTS);
}

test('metadata alone is followed where nobody wants more', () => {
  const wanted = watching({ metadataOnly: true });
  assert.equal(demandOf(wanted)?.metadataOnly, true);
  assert.equal(demandOf(wanted, wanted)?.metadataOnly, true);
});

test('whole objects are followed where one watch wants them, whichever comes first', () => {
  const [metadata, whole] = [watching({ metadataOnly: true }), watching({})];
  assert.equal(demandOf(metadata, whole)?.metadataOnly, false);
  assert.equal(demandOf(whole, metadata)?.metadataOnly, false);
});

test('a selection is followed where all agree on it, else every object', () => {
  const [red, blue, all] = [
    watching({ labelSelector: 'team=red' }),
    watching({ labelSelector: 'team=blue' }),
    watching({}),
  ];
  assert.equal(demandOf(red, red)?.labelSelector, 'team=red');
  assert.equal(demandOf(red, blue)?.labelSelector, undefined);
  assert.equal(demandOf(red, all)?.labelSelector, undefined);
  assert.equal(demandOf(red, blue, red)?.labelSelector, undefined);
});

test('what each controller owns of the objects of one resource is kept', () => {
  const [first, second] = [
    { ...watching({}), controller: 'first' },
    { ...watching({}), controller: 'second' },
  ];
  assert.deepEqual(demandOf(first, second, first)?.keepManagers, ['first', 'second']);
});
