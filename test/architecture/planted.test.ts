import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectureRules } from './all-rules.ts';
import { isCaught, plants } from './planted.ts';
import { readProjectTexts, toProject } from './project.ts';

const project = toProject(await readProjectTexts());

for (const plant of plants) test(`catches ${plant.name}`, () => assert.ok(isCaught(plant, project)));

test('every rule has a planted violation', () => {
  const planted = new Set(plants.map(({ rule }) => rule));
  assert.deepEqual(
    architectureRules.map(({ name }) => name).filter((name) => !planted.has(name)),
    [],
  );
});
