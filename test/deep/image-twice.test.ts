import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ImageBuilder } from './image-builder.ts';

const builder = await ImageBuilder.open();
after(async () => builder.close());

test('two builds of the same sources give the same layers and the same configuration', async () => {
  const first = await builder.build('first');
  const second = await builder.build('second');
  assert.deepEqual(second.layers, first.layers);
  assert.equal(second.configDigest, first.configDigest);
});
