import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminal, transient } from '../../../src/base/outcome.ts';

test('R50 trouble cannot ask for a time of its own beside the backoff: the types refuse it', () => {
  // @ts-expect-error requeueAfterMs belongs to outcomes without trouble
  const asked = transient('Retrying', 'the API server is away', { requeueAfterMs: 5 });
  assert.equal(asked.type, 'transient');
  // @ts-expect-error the same for what a retry cannot mend
  const final = terminal('Rejected', 'never', { requeueAfterMs: 5 });
  assert.equal(final.type, 'terminal');
});
