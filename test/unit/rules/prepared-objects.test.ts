import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../src/base/object.ts';
import type { ResourceType } from '../../../src/base/resource.ts';
import type { Lookup } from '../../../src/rules/lookup.ts';
import { PreparedObjects } from '../../../src/rules/prepared-objects.ts';
import { compileSchema } from '../../../src/schema/compile.ts';

const WIDGETS: ResourceType = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: false,
};
const OTHERS: ResourceType = { ...WIDGETS, kind: 'Other', plural: 'others' };

const schema = compileSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer' }, colours: { type: 'array', items: { type: 'string' }, default: [] } },
    },
  },
});

function widget(spec: object): KubeObject {
  const metadata = { name: 'w', uid: 'u', resourceVersion: '1' };
  return { apiVersion: 'example.org/v1', kind: 'Widget', metadata, spec } as KubeObject;
}

function showing(object: KubeObject): Lookup {
  return {
    get: <T extends KubeObject>() => object as T,
    byIndex: <T extends KubeObject>() => [object] as unknown as readonly T[],
  };
}

test('what an older definition has not filled in is there, in each way of reading, and the same object each time', () => {
  const prepared = new PreparedObjects([{ type: WIDGETS, schema }]).lookup(showing(widget({ size: 1 })));
  const first = prepared.get(WIDGETS, { name: 'w' });
  assert.deepEqual(first, widget({ size: 1, colours: [] }));
  assert.equal(prepared.get(WIDGETS, { name: 'w' }), first);
  assert.equal(prepared.byIndex(WIDGETS, 'all', 'all')[0], first);
});

test('complete objects, and those of other resources, are given as they are', () => {
  const [complete, open] = [widget({ colours: [] }), widget({})];
  const prepared = new PreparedObjects([{ type: WIDGETS, schema }]);
  assert.equal(prepared.of(WIDGETS, complete), complete);
  assert.equal(prepared.of(OTHERS, open), open);
});
