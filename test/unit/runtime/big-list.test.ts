import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { demandsOf } from '../../../src/app/informer-table.ts';
import { kinds } from '../../../src/kinds/index.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../support/big-list.ts');

test('B-73 a list of 20,000 objects of 20 KiB comes in pages of 500 and fits into 200 MiB of heap', async () => {
  const { stdout } = await run(process.execPath, ['--max-old-space-size=200', program]);
  assert.deepEqual(JSON.parse(stdout), { objects: 20_000, limits: [500] });
});

test('B-73 no cache holds what can be large and many: Secrets and ConfigMaps of the cluster', () => {
  const whole = demandsOf(kinds).filter(({ labelSelector }) => labelSelector === undefined);
  const named = whole.map(({ type }) => type.kind);
  assert.deepEqual(
    named.filter((kind) => ['Secret', 'ConfigMap', 'Pod', 'Event'].includes(kind)),
    [],
  );
});
