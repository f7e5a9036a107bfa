import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Unstructured } from '../../../src/base/object.ts';
import { Store } from '../../../src/runtime/store.ts';
import { widget } from '../../support/widgets.ts';

const byTeam = {
  team: (object: Unstructured) => [object.metadata.labels?.['team'] ?? ''].filter((team) => team !== ''),
};

function ofTeam(name: string, version: string, team: string): Unstructured {
  return widget(name, version, { labels: { team } });
}

function filled(store: Store, ...objects: readonly Unstructured[]) {
  const contents = store.newContents();
  for (const object of objects) contents.put(object);
  return contents;
}

test('R31 a value of an index is gone with its last object', () => {
  const store = new Store(byTeam);
  store.put(ofTeam('a', '1', 'red'));
  store.put(ofTeam('a', '2', 'blue'));
  assert.deepEqual(store.indexValues('team'), ['blue']);
  store.remove(ofTeam('a', '3', 'blue'));
  assert.deepEqual(store.indexValues('team'), []);
});

test('the version advances with objects and bookmarks and never goes back by them', () => {
  const store = new Store();
  store.replace(store.newContents(), '8');
  const seen = [store.resourceVersion];
  store.put(widget('a', '9'));
  seen.push(store.resourceVersion);
  store.bookmark('10');
  seen.push(store.resourceVersion);
  store.put(widget('b', '7'));
  seen.push(store.resourceVersion);
  store.remove(widget('b', '11'));
  seen.push(store.resourceVersion);
  assert.deepEqual(seen, ['8', '9', '10', '10', '11']);
});

test('a whole list sets the version, also to a lower one', () => {
  const store = new Store();
  store.replace(store.newContents(), '100');
  store.replace(filled(store, widget('a', '3')), '5');
  assert.equal(store.resourceVersion, '5');
});

test('a store is synced once a first list has come, an empty one as well', () => {
  const store = new Store();
  assert.equal(store.synced, false);
  store.replace(store.newContents(), '1');
  assert.equal(store.synced, true);
});

test('an index nobody declared is refused by name', () => {
  assert.throws(() => new Store(byTeam).byIndex('colour', 'red'), {
    code: 'HOMEOSTAT_INDEX_UNKNOWN',
    message: /Index colour is not declared.*team/,
  });
});

test('an index function that throws is told, and the object is stored all the same', () => {
  const failures: string[] = [];
  const store = new Store(
    {
      bad: () => {
        throw new Error('broken');
      },
    },
    (index) => failures.push(index),
  );
  store.put(widget('a', '1'));
  assert.deepEqual(failures, ['bad']);
  assert.equal(store.size, 1);
});

test('a waiter is called once, when the version is reached by a bookmark', () => {
  const store = new Store();
  store.replace(store.newContents(), '5');
  let calls = 0;
  store.whenReached('7', () => calls++);
  store.bookmark('6');
  assert.equal(calls, 0);
  store.bookmark('7');
  store.bookmark('8');
  assert.equal(calls, 1);
});

test('a waiter is called at once when the version is reached already, and not at all once given up', () => {
  const store = new Store();
  store.replace(store.newContents(), '5');
  const calls: string[] = [];
  store.whenReached('5', () => calls.push('reached'));
  store.whenReached('6', () => calls.push('given up'))();
  store.bookmark('6');
  assert.deepEqual(calls, ['reached']);
});

test('objects and indexes are those of a plain map after any sequence of changes and relists', () => {
  const object = fc
    .record({ name: fc.constantFrom('a', 'b', 'c', 'd'), team: fc.constantFrom('red', 'blue', '') })
    .map(({ name, team }) => ofTeam(name, '1', team));
  const change = fc.oneof(
    fc.record({ type: fc.constant('put' as const), object }),
    fc.record({ type: fc.constant('remove' as const), object }),
    fc.record({ type: fc.constant('replace' as const), objects: fc.array(object, { maxLength: 4 }) }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 50 }), (changes) => {
      const store = new Store(byTeam);
      const model = new Map<string, Unstructured>();
      for (const step of changes) {
        if (step.type === 'put') {
          assert.equal(store.put(step.object), model.get(step.object.metadata.name));
          model.set(step.object.metadata.name, step.object);
        } else if (step.type === 'remove') {
          store.remove(step.object);
          model.delete(step.object.metadata.name);
        } else {
          store.replace(filled(store, ...step.objects), '1');
          model.clear();
          for (const replaced of step.objects) model.set(replaced.metadata.name, replaced);
        }
        assert.deepEqual(new Set(store.list()), new Set(model.values()));
        for (const team of ['red', 'blue']) {
          const expected = [...model.values()].filter((item) => item.metadata.labels?.['team'] === team);
          assert.deepEqual(new Set(store.byIndex('team', team)), new Set(expected));
          assert.equal(store.indexValues('team').includes(team), expected.length > 0);
        }
      }
    }),
  );
});
