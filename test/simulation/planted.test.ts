import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hunt } from './planted/hunt.ts';
import { PatchedCopy } from './planted/patched-copy.ts';
import { edited } from './planted/planted-fault.ts';
import { plantedFaults } from './planted/planted-faults.ts';
import { PAGE, plantedTable, readResults, withTable } from './planted/planted-results.ts';

const SRC = join(import.meta.dirname, '../../src');

/** Faults that show at once, whatever is drawn; the others are planted by `npm run simulate:planted`. */
const AT_ONCE = ['observedGeneration is not written', 'every pass writes new transition times'];

test('every planted fault fits the sources and has a name of its own', async () => {
  for (const { edits } of plantedFaults) {
    const texts = new Map<string, string>();
    for (const edit of edits) {
      const text = texts.get(edit.file) ?? (await readFile(join(SRC, edit.file), 'utf8'));
      texts.set(edit.file, edited(text, edit));
    }
  }
  assert.equal(new Set(plantedFaults.map(({ name }) => name)).size, plantedFaults.length);
});

test('every planted fault was noticed in the last run', async () => {
  const results = await readResults();
  assert.deepEqual(
    results.map(({ name }) => name),
    plantedFaults.map(({ name }) => name),
  );
});

test('the page shows how each planted fault was noticed', async () => {
  const page = await readFile(PAGE, 'utf8');
  assert.equal(withTable(page, plantedTable(await readResults(), plantedFaults)), page);
});

test('a planted fault is noticed', async (t) => {
  const copy = await PatchedCopy.make();
  t.after(() => copy.remove());
  for (const name of AT_ONCE) {
    const fault = plantedFaults.find((planted) => planted.name === name) ?? assert.fail(name);
    const hunted = await copy.with(fault, () => hunt({ folder: copy.folder, kind: fault.subjects[0] ?? '', runs: 10 }));
    assert.equal(hunted.type, 'found', name);
  }
});

test('a simulation that does not end is ended from outside, and counts as a broken promise', async (t) => {
  const copy = await PatchedCopy.make();
  t.after(() => copy.remove());
  const hunted = await hunt({ folder: copy.folder, kind: 'Environment', runs: 1_000_000, limitMs: 1 });
  assert.equal(hunted.type === 'found' && hunted.oracle, 'every simulation comes to an end');
});

test('a fault that does not fit is refused', () => {
  assert.throws(() => edited('a b', { file: 'x.ts', find: 'c', replace: 'd' }), /"c" stands in src\/x\.ts 0 times/);
  assert.throws(() => edited('a a', { file: 'x.ts', find: 'a', replace: 'd' }), /2 times, not once/);
});
