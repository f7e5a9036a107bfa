import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from '../../../src/admission/answer.ts';
import type { FaultKind } from '../../../src/admission/verdict.ts';

function sentence(kind: FaultKind): string {
  const { body } = answerOf({ failurePolicy: 'Fail' }, 'u1', { type: 'fault', kind, cause: new Error('inner') }, 5000);
  return (JSON.parse(body) as { readonly message: string }).message;
}

for (const kind of ['notReady', 'deadline', 'bug'] as const) {
  test(`the fault ${kind} may need whoever runs the service, so it points to the log by the request's uid`, () => {
    assert.match(sentence(kind), /its log .*\(request u1\)$/);
    assert.doesNotMatch(sentence(kind), /inner/);
  });
}
