import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, Unstructured } from '../../../src/base/object.ts';
import { keyOf } from '../../../src/base/resource.ts';
import { conditionsOf, statusOf } from '../../../src/status/conditions.ts';
import type { PassReport } from '../../../src/status/pass-report.ts';
import { type StatusIntent, StatusWriter } from '../../../src/status/status-writer.ts';
import { widget } from '../../support/engine-harness.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryApi, refusal } from '../../support/memory-api.ts';
import { recordingLogger } from '../../support/silent-ports.ts';
import { WIDGETS } from '../../support/widget-slice.ts';

const KEY = keyOf(widget());

function setup(): {
  readonly api: MemoryApi;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly writer: StatusWriter;
  readonly stored: () => Unstructured;
  readonly write: (
    reason: string,
    object?: KubeObject,
    more?: Partial<StatusIntent>,
  ) => ReturnType<StatusWriter['write']>;
} {
  const api = new MemoryApi();
  const clock = new FakeClock();
  const log = recordingLogger();
  const writer = new StatusWriter(clock);
  api.seed(WIDGETS, widget());
  const stored = (): Unstructured => api.peek(WIDGETS, KEY) ?? assert.fail('the widget is gone');
  const write = (reason: string, object: KubeObject = stored(), more: Partial<StatusIntent> = {}) => {
    const { signal } = new AbortController();
    const base = {
      type: WIDGETS,
      object,
      report: report(reason),
      fieldManager: 'widget',
      client: api.client(),
      signal,
      log,
    };
    return writer.write({ ...base, ...more });
  };
  return { api, clock, log, writer, stored, write };
}

function report(reason: string, generation = 1): PassReport {
  const result = { type: 'passed', status: reason === 'Applied' ? 'True' : 'False', reason, message: '' } as const;
  return {
    generation,
    phase: 'applying',
    links: [{ step: 'Apply', condition: 'Applied', result }],
    attempts: 1,
    owned: [],
  };
}

function addForeign(object: Unstructured): object {
  const foreign = {
    type: 'Foreign',
    status: 'True',
    reason: 'X',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return { ...object, status: { ...statusOf(object), conditions: [...conditionsOf(object), foreign] } };
}

const verbs = (api: MemoryApi): string => api.calls.map(({ verb }) => verb).join(' ');

test('the first status needs no read, a transition reads once, no transition costs nothing', async () => {
  const { api, write } = setup();
  await write('Applied');
  assert.equal(verbs(api), 'patch');
  await write('Failed');
  assert.equal(verbs(api), 'patch get patch');
  assert.deepEqual(await write('Failed'), { type: 'unchanged' });
  assert.equal(verbs(api), 'patch get patch');
});

test('the answer to a write of this pass needs no read', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  await write('Failed', stored(), { isAnswer: true });
  assert.equal(verbs(api), 'patch patch');
});

test('a change behind such an answer is found by the precondition, and read', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  const answer = stored();
  api.edit(WIDGETS, KEY, addForeign);
  await write('Failed', answer, { isAnswer: true });
  assert.equal(verbs(api), 'patch patch get patch');
  assert.ok(conditionsOf(stored()).some(({ type }) => type === 'Foreign'));
});

test('the patch names the resourceVersion and only the members that change', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  const before = stored();
  await write('Failed');
  const { metadata, status } = api.calls.at(-1)?.body as { metadata: unknown; status: object };
  assert.deepEqual(metadata, { resourceVersion: before.metadata.resourceVersion });
  assert.deepEqual(Object.keys(status), ['step', 'conditions']);
});

test('a stale cache does not carry an older condition over a newer one', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  const stale = stored();
  api.edit(WIDGETS, KEY, addForeign);
  await write('Failed', stale);
  assert.deepEqual(
    conditionsOf(stored()).map(({ type }) => type),
    ['Applied', 'Ready', 'Foreign'],
  );
});

test('a cache that is behind our own write is not believed, even where it shows what is wanted', async () => {
  const { stored, write } = setup();
  await write('Applied');
  const behind = stored();
  await write('Failed');
  await write('Applied', behind);
  assert.equal(conditionsOf(stored())[0]?.status, 'True');
});

test('B-65 a foreign condition that arrives between read and write survives', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  let interfere = true;
  api.before = ({ verb }) => {
    if (verb !== 'patch' || !interfere) return;
    interfere = false;
    api.edit(WIDGETS, KEY, addForeign);
  };
  await write('Failed');
  assert.equal(verbs(api), 'patch get patch get patch');
  assert.ok(conditionsOf(stored()).some(({ type }) => type === 'Foreign'));
});

test('five lost races are enough', async () => {
  const { api, write } = setup();
  await write('Applied');
  api.before = ({ verb }) => {
    if (verb === 'patch') throw refusal('patch', WIDGETS, KEY, { code: 409, reason: 'Conflict' });
  };
  await assert.rejects(write('Failed'), { reason: 'Conflict' });
  assert.equal(api.calls.filter(({ verb }) => verb === 'patch').length, 1 + 5);
});

test('an object that is gone, or another of its name, gets no status', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  const old = stored();
  api.remove(WIDGETS, KEY);
  assert.deepEqual(await write('Failed', old), { type: 'gone' });
  api.seed(WIDGETS, widget());
  assert.deepEqual(await write('Failed', old), { type: 'gone' });
  assert.equal(statusOf(stored()), undefined);
});

test('a pass over an older generation does not speak after a newer one', async () => {
  const { api, stored, write } = setup();
  const old = stored();
  api.edit(WIDGETS, KEY, (object) => ({ ...object, spec: { maps: { a: '2' } } }));
  await write('Applied', stored(), { report: report('Applied', 2) });
  assert.deepEqual(await write('Failed', old), { type: 'unchanged' });
  assert.equal(statusOf(stored())?.['observedGeneration'], 2);
});

test('a generation that a restored status tells of, and the object has not come to, hinders no pass', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  const ofBefore = conditionsOf(stored()).map((condition) => ({ ...condition, observedGeneration: 7 }));
  api.edit(WIDGETS, KEY, (object) => ({
    ...object,
    status: { ...statusOf(object), observedGeneration: 7, conditions: ofBefore },
  }));
  assert.equal((await write('Failed')).type, 'written');
  assert.equal(statusOf(stored())?.['observedGeneration'], 1);
  assert.deepEqual(
    conditionsOf(stored()).map(({ status, observedGeneration }) => [status, observedGeneration]),
    [
      ['False', 1],
      ['False', 1],
    ],
  );
});

test('a status that somebody else changed is written again', async () => {
  const { api, stored, write } = setup();
  await write('Applied');
  api.edit(WIDGETS, KEY, (object) => ({ ...object, status: { ...statusOf(object), step: 'Wrong' } }));
  await write('Applied');
  assert.equal(statusOf(stored())?.['step'], '');
});

test('B-23 a member that the schema does not know is not sent again and again', async () => {
  const { api, write } = setup();
  api.prunedStatus = ['colour'];
  const fields = { colour: 'red' };
  await write('Applied', undefined, { fields });
  api.calls.length = 0;
  assert.deepEqual(await write('Applied', undefined, { fields }), { type: 'unchanged' });
  assert.deepEqual(api.calls, []);
});

test('B-81 a member that the installed CRD refuses is left out, once and for all, and the log says so', async () => {
  const { api, log, stored, write } = setup();
  api.prunedStatus = ['colour'];
  api.strict = true;
  await write('Applied', undefined, { fields: { colour: 'red', size: 1 } });
  assert.equal(statusOf(stored())?.['size'], 1);
  assert.equal(verbs(api), 'patch patch');
  await write('Applied', undefined, { fields: { colour: 'blue', size: 1 } });
  await write('Failed', undefined, { fields: { colour: 'blue', size: 2 } });
  assert.equal(statusOf(stored())?.['size'], 2);
  assert.deepEqual(
    log.lines.map(({ fields }) => fields['members']),
    [['colour']],
  );
});

test('fields that are left out stay and null takes one away', async () => {
  const { stored, write } = setup();
  await write('Applied', undefined, { fields: { a: 1, b: { c: 2, d: 3 } } });
  await write('Applied', undefined, { fields: { b: { c: 2 } } });
  assert.deepEqual([statusOf(stored())?.['a'], statusOf(stored())?.['b']], [1, { c: 2 }]);
  await write('Applied', undefined, { fields: { a: null } });
  assert.equal(Object.hasOwn(statusOf(stored()) ?? {}, 'a'), false);
});

test('the history keeps the last five and never causes a write', async () => {
  const { api, clock, stored, write } = setup();
  for (let pass = 1; pass <= 7; pass++) {
    await write(pass % 2 === 0 ? 'Failed' : 'Applied', undefined, { history: { outcome: `o${pass}`, trigger: 't' } });
    await clock.advance(1000);
  }
  const history = statusOf(stored())?.['reconcileHistory'] as readonly {
    readonly outcome: string;
    readonly time: string;
  }[];
  assert.deepEqual(
    history.map(({ outcome }) => outcome),
    ['o3', 'o4', 'o5', 'o6', 'o7'],
  );
  assert.equal(history[4]?.time, '2026-01-01T00:00:06Z');
  api.calls.length = 0;
  await write('Applied', undefined, { history: { outcome: 'o8', trigger: 't' } });
  assert.deepEqual(api.calls, []);
});

test('time alone changes nothing', async () => {
  const { api, clock, write } = setup();
  await write('Applied');
  await clock.advance(86_400_000);
  api.calls.length = 0;
  await write('Applied');
  assert.deepEqual(api.calls, []);
});

test('what is written is told with the conditions before and after', async () => {
  const { write } = setup();
  await write('Failed');
  const written = await write('Applied');
  assert.ok(written.type === 'written');
  assert.deepEqual(
    written.before.map(({ status }) => status),
    ['False', 'False'],
  );
  assert.deepEqual(
    written.after.map(({ status }) => status),
    ['True', 'True'],
  );
});
