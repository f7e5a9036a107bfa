import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PURGE_REASONS } from '../../../src/base/backup-report.ts';
import { ENGINE_REASONS } from '../../../src/status/reasons.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Rooms whose words end in conditions. */
const ROOMS = 'src/{steps,kinds}/**/*.ts';

/** Calls whose first argument is a reason. */
const OUTCOME = /\b(?:waiting|terminal|transient)\(\s*'([A-Z][A-Za-z]+)'/g;

/** Members and constants called reason; a line with an action is an Event's, a FieldValue reason is a violation's. */
const REASON_LINE = /\b(?:reason|waiting)(?:: | = )(.*)$/gm;

/** Reasons that code makes of other words: the condition of a pause, the Event of a wait while deleting. */
const DERIVED: readonly string[] = ['Paused', 'DeletionBlocked', ...PURGE_REASONS];

async function usedReasons(): Promise<ReadonlySet<string>> {
  const used = new Set<string>([...Object.values(ENGINE_REASONS), ...DERIVED]);
  for await (const file of glob(ROOMS, { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, reason = ''] of text.matchAll(OUTCOME)) used.add(reason);
    for (const [, rest = ''] of text.matchAll(REASON_LINE)) {
      if (rest.includes('action:')) continue;
      const [value = ''] = rest.split(/, (?:message|detail|path|on)\b/);
      for (const [, reason = ''] of value.matchAll(/'([A-Z][A-Za-z]+)'/g)) {
        if (!reason.startsWith('FieldValue')) used.add(reason);
      }
    }
  }
  return used;
}

async function documentedReasons(): Promise<readonly string[]> {
  const text = await readFile(join(root, 'docs', 'reasons.md'), 'utf8');
  return [...text.matchAll(/^\| `([A-Za-z]+)`/gm)].map(([, reason = '']) => reason);
}

test('docs/reasons.md lists every reason of a condition, once, and no other', async () => {
  const documented = await documentedReasons();
  assert.deepEqual(documented.toSorted(), [...(await usedReasons())].toSorted());
});
