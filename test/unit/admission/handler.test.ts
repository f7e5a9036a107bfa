import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmissionMetrics } from '../../../src/admission/admission-metrics.ts';
import type { HttpAnswer } from '../../../src/admission/answer.ts';
import type { DecisionContext } from '../../../src/admission/decision-context.ts';
import { FaultError } from '../../../src/admission/fault-error.ts';
import { createAdmissionHandler } from '../../../src/admission/handler.ts';
import type { AdmissionSlice } from '../../../src/admission/slice.ts';
import type { FailurePolicy, Hook, HookPhase } from '../../../src/base/hook.ts';
import { CacheNotSynced } from '../../../src/rules/lookup.ts';
import { invalid, type Rule, stateRule } from '../../../src/rules/rule.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLogger, recordingMetrics } from '../../support/silent-ports.ts';
import { apiServerOutcome } from './api-server-model.ts';
import {
  calmContext,
  GADGETS,
  type Gadget,
  gadget,
  gadgetHook,
  gadgetSlice,
  type RequestParts,
  reviewBody,
  sizeRule,
} from './gadget.ts';

interface Setup {
  readonly hook?: Hook;
  readonly slice?: AdmissionSlice;
  readonly context?: Partial<DecisionContext>;
  readonly timeout?: string;
}

function handling({ hook = gadgetHook('validate'), slice = gadgetSlice(), context = {}, timeout }: Setup = {}) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const metrics = recordingMetrics();
  const stop = new AbortController();
  const handler = createAdmissionHandler({
    slices: [slice],
    hooks: [hook],
    context: calmContext(context),
    clock,
    log,
    metrics: createAdmissionMetrics(metrics, [hook]),
    stop: stop.signal,
  });
  const answer = (body: Uint8Array): Promise<HttpAnswer> =>
    handler.answer({ hook, timeout, startedAt: clock.monotonic() }, body);
  return { clock, log, metrics, stop, handler, answer, hook };
}

const throwing = (error: Error): AdmissionSlice => {
  const rule: Rule<Gadget> = stateRule({ id: 'gadget.throws', tier: 'W' }, () => {
    throw error;
  });
  return gadgetSlice({ gadgetRules: [rule] });
};

/** A slice whose access review never answers, and a context that waits for it. */
const hanging: Setup = {
  slice: gadgetSlice({
    accessReviews: () => [{ verb: 'bind', group: '', resource: 'x', path: ['spec'], denial: () => 'no' }],
  }),
  context: {
    access: {
      allowed: (_user, _request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    },
  },
};

interface Row {
  readonly what: string;
  readonly phase?: HookPhase;
  readonly setup?: Setup;
  readonly request?: RequestParts;
  /** What the client of the API server gets under Fail, and under Ignore. */
  readonly fail: string;
  readonly ignore: string;
}

const notReady = { slice: throwing(new CacheNotSynced(GADGETS)) };
const rows: readonly Row[] = [
  { what: 'permission', fail: 'stored', ignore: 'stored' },
  {
    what: 'a patch',
    phase: 'mutate',
    request: { object: gadget({ size: 1, stage: 'dev' }) },
    fail: 'patched',
    ignore: 'patched',
  },
  { what: 'an empty patch', phase: 'mutate', fail: 'stored', ignore: 'stored' },
  { what: 'a denial', request: { object: gadget({ size: 6 }) }, fail: 'refused 422', ignore: 'refused 422' },
  { what: 'a rule that throws', setup: { slice: throwing(new Error('x')) }, fail: 'refused 500', ignore: 'open' },
  { what: 'an unsynced cache', setup: notReady, fail: 'retried', ignore: 'open' },
  {
    what: 'an unsynced cache with no time for a retry',
    setup: { ...notReady, timeout: '2s' },
    fail: 'refused 500',
    ignore: 'open',
  },
  {
    what: 'another version',
    request: { resource: { ...GADGETS, version: 'v9', resource: 'gadgets' } },
    fail: 'refused 500',
    ignore: 'open',
  },
  {
    what: 'a deletion',
    request: { operation: 'DELETE', object: null, oldObject: gadget() },
    fail: 'stored',
    ignore: 'stored',
  },
  {
    what: 'a status update',
    request: { subResource: 'status', operation: 'UPDATE', oldObject: gadget() },
    fail: 'stored',
    ignore: 'stored',
  },
];

for (const { what, phase = 'validate', setup, request = {}, ...expected } of rows) {
  for (const policy of ['Fail', 'Ignore'] satisfies FailurePolicy[]) {
    const wanted = policy === 'Fail' ? expected.fail : expected.ignore;
    test(`${what} under ${policy}: the API server answers its client "${wanted}"`, async () => {
      const { answer } = handling({ ...setup, hook: gadgetHook(phase, { failurePolicy: policy }) });
      const object = 'object' in request ? request['object'] : gadget();
      const outcome = apiServerOutcome(await answer(reviewBody(request)), { uid: 'u-1', phase, policy, object });
      switch (outcome.type) {
        case 'retried':
          assert.equal(wanted, 'retried');
          return;
        case 'refused':
          assert.equal(`refused ${outcome.code}`, wanted);
          return;
        case 'stored':
          assert.equal(outcome.open ? 'open' : outcome.object === object ? 'stored' : 'patched', wanted);
      }
    });
  }
}

test('a review that waits beyond its budget is answered before the API server gives up', async () => {
  const { answer, clock, log } = handling(hanging);
  const answering = answer(reviewBody());
  await clock.advance(4500);
  const { status, headers, body } = await answering;
  assert.equal(status, 503);
  assert.equal(headers['retry-after'], undefined);
  assert.match(JSON.parse(body).message, /could not decide within the time.*\(request u-1\)$/);
  assert.equal(log.lines[0]?.fields['fault'], 'deadline');
  assert.equal(clock.pendingTimers, 0);
});

test('a review that is sent again is offered a retry only while its own time lasts', async () => {
  const { answer, clock } = handling(notReady);
  const offers: (string | undefined)[] = [];
  for (let second = 0; second < 4; second++) {
    offers.push((await answer(reviewBody())).headers['retry-after']);
    await clock.advance(1000);
  }
  assert.deepEqual(offers, ['1', '1', '1', undefined]);
});

test('a stopping server answers those who wait, and sends them elsewhere', async () => {
  const { answer, clock, stop } = handling(hanging);
  const answering = answer(reviewBody());
  await clock.settle();
  stop.abort(new FaultError('draining', 'stopping'));
  const { status, headers } = await answering;
  assert.deepEqual([status, headers['connection'], headers['retry-after']], [503, 'close', '1']);
});

test('the message of a fault is a Status with one fixed sentence and the uid, never the error', async () => {
  const { answer, log } = handling({ slice: throwing(new Error('password hunter2')) });
  const { status, body } = await answer(reviewBody());
  assert.equal(status, 500);
  const { kind, apiVersion, message, code } = JSON.parse(body);
  assert.deepEqual([kind, apiVersion, code], ['Status', 'v1', 500]);
  assert.match(message, /mistake in Homeostat; its log has the details \(request u-1\)$/);
  assert.doesNotMatch(body, /hunter2/);
  assert.equal(log.lines[0]?.level, 'error');
});

test('R58 a body that is no review answers 400', async () => {
  const { answer } = handling();
  assert.equal((await answer(Buffer.from('{'))).status, 400);
});

test('a denial is one log line that names object, hook, rules and user, and nothing of the object', async () => {
  const { answer, log } = handling();
  await answer(reviewBody({ object: gadget({ size: 6, stage: 'private' }) }));
  assert.equal(log.lines.length, 1);
  const [{ message, fields } = assert.fail('no line')] = log.lines;
  assert.equal(message, 'admission denied');
  assert.deepEqual(
    [fields['hook'], fields['uid'], fields['namespace'], fields['name'], fields['rules'], fields['user']],
    ['validate.gadgets.test.homeostat.io', 'u-1', 'team-a', 'g', ['gadget.size'], 'eve'],
  );
  assert.doesNotMatch(JSON.stringify(fields), /private/);
});

test('B-87 an object without a name yet is logged by its prefix', async () => {
  const { answer, log } = handling();
  await answer(reviewBody({ name: '', object: { ...gadget({ size: 6 }), metadata: { generateName: 'x-' } } }));
  assert.equal(log.lines[0]?.fields['name'], 'x-*');
});

test('R59 a refused update is answered with its uid, code, causes and warnings', async () => {
  const stage: Rule<Gadget> = stateRule({ id: 'gadget.stage', tier: 'W' }, function* ({ spec }) {
    if (spec.stage === 'none') yield invalid(['spec', 'stage'], spec.stage, 'names no stage');
  });
  const { answer } = handling({ slice: gadgetSlice({ gadgetRules: [sizeRule, stage] }) });
  const large = gadget({ size: 6 });
  const review = { operation: 'UPDATE', oldObject: large, object: gadget({ size: 6, stage: 'none' }) };
  const { response } = JSON.parse((await answer(reviewBody(review))).body);
  assert.equal(response.uid, 'u-1');
  assert.equal(response.status.code, 422);
  assert.deepEqual(
    response.status.details.causes.map(({ field }: { readonly field: string }) => field),
    ['spec.stage'],
  );
  assert.match(response.warnings[0], /must be at most 5/);
});

test('permission is not logged', async () => {
  const { answer, log } = handling();
  await answer(reviewBody());
  assert.deepEqual(log.lines, []);
});

test('verdicts, faults and rules are counted', async () => {
  const { answer, metrics, hook } = handling();
  await answer(reviewBody());
  await answer(reviewBody({ object: gadget({ size: 6 }) }));
  await answer(Buffer.from('{'));
  const counted = (operation: string, verdict: string): number =>
    metrics.value('homeostat_admission_verdicts_total', { hook: hook.name, operation, verdict });
  assert.deepEqual([counted('CREATE', 'allow'), counted('CREATE', 'deny'), counted('', 'fault')], [1, 1, 1]);
  assert.equal(metrics.value('homeostat_admission_rule_denials_total', { rule: 'gadget.size' }), 1);
  assert.equal(metrics.value('homeostat_admission_faults_total', { hook: hook.name, kind: 'badReview' }), 1);
  assert.equal(metrics.value('homeostat_admission_duration_seconds', { hook: hook.name }), 3);
});

test('a hook that no kind answers is refused at once', () => {
  const hook = gadgetHook('validate', { type: { ...GADGETS, plural: 'gizmos', kind: 'Gizmo' } });
  assert.throws(() => handling({ hook }), { code: 'HOMEOSTAT_HOOK_WITHOUT_KIND', message: /about Gizmo/ });
});

test('A30 a body nested 20,000 deep is answered', async () => {
  const { answer } = handling();
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const text = reviewBody().toString().replace('"size":1', `"size":1,"deep":${deep}`);
  assert.ok([200, 400, 500].includes((await answer(Buffer.from(text))).status));
});
