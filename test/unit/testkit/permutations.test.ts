import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS } from '../../../src/kube/well-known.ts';
import { done, noop, type Outcome, waiting } from '../../../src/base/outcome.ts';
import type { Kind } from '../../../src/sdk/kind.ts';
import type { StepContext } from '../../../src/steps/step.ts';
import { permutations } from '../../../src/testkit/permutations.ts';
import { step, type Widget, widget, widgetKind } from './widget-kind.ts';

const row = { given: { object: widget }, expect: { ready: 'True/Ready' } };
const [expected, silent, killed, lagging, deleted, , rights, wakes] = permutations.map(({ find }) => find);

/** What a permutation finds with a kind that has a fault planted. */
async function found(find: (typeof permutations)[number]['find'] | undefined, kind: Kind): Promise<string> {
  assert.ok(find !== undefined);
  return (await find({ row, kind, kinds: [kind] })).join('\n');
}

const create = async ({ api, signal, object }: StepContext<Widget, object>, name: string): Promise<Outcome<object>> => {
  const metadata = { name, namespace: object.metadata.namespace ?? '' };
  await api.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata }, { signal });
  return done({});
};
const touches = [{ type: CONFIG_MAPS, verbs: ['create' as const, 'get' as const] }];

/** Makes a ConfigMap unless there is one. */
const ensure = async (context: StepContext<Widget, object>, name: string): Promise<Outcome<object>> => {
  const key = { name, namespace: context.object.metadata.namespace ?? '' };
  const { api, signal } = context;
  return api.client.get(CONFIG_MAPS, key, { signal }).then(
    () => noop({}),
    () => create(context, name),
  );
};

test('a row that comes out otherwise names what was expected and what was found', async () => {
  const kind = widgetKind(step(() => waiting('Sleepy', 'Not today', { requeueAfterMs: 1 })));
  assert.equal(await found(expected, kind), 'Ready: expected True/Ready, found False/Sleepy');
});

test('a step that writes in every pass is found restless', async () => {
  let value = 0;
  const kind = widgetKind(
    step(async ({ api, signal, object }) => {
      const body = { metadata: { annotations: { turn: String((value += 1)) } } };
      await api.client.patch(kind.type, object.metadata, { type: 'merge', body }, { signal });
      return noop({});
    }),
  );
  await assert.rejects(found(silent, kind), { code: 'HOMEOSTAT_TESTKIT_RESTLESS' });
});

test('a step that remembers in memory alone is found by the restart', async () => {
  let made = false;
  const kind = widgetKind(
    step(async (context) => {
      if (made) return noop({});
      made = true;
      return ensure(context, 'once');
    }),
  );
  assert.match(await found(killed, kind), /ConfigMap team-a\/once is missing/);
});

test('a step that makes a new object in every life is found by the kill', async () => {
  let lives = 0;
  const kind = widgetKind(
    step(async (context) => {
      const annotation = context.object.metadata.annotations?.['made'];
      if (annotation !== undefined) return noop({});
      lives += 1;
      await create(context, `made-${lives}`);
      const body = { metadata: { annotations: { made: 'yes' } } };
      await context.api.client.patch(
        kind.type,
        context.object.metadata,
        { type: 'merge', body },
        { signal: context.signal },
      );
      return done({});
    }),
  );
  assert.match(await found(killed, kind), /killed after create ConfigMap team-a\/made-\d+: .* is too much/);
});

test('a step that believes a late cache is found', async () => {
  const kind = widgetKind(
    step(async (context) => {
      const seen = context.object.metadata.annotations?.['made'] ?? '';
      if (seen.length > 0) return noop({});
      const { metadata } = context.object;
      const live = await context.api.client.get(kind.type, metadata, { signal: context.signal });
      const body = { metadata: { annotations: { made: `${live.metadata.annotations?.['made'] ?? ''}x` } } };
      await context.api.client.patch(kind.type, metadata, { type: 'merge', body }, { signal: context.signal });
      return done({});
    }),
  );
  assert.match(await found(lagging, kind), /writes late: Widget team-a\/w differs/);
});

test('what a deletion leaves behind is found', async () => {
  const kind = widgetKind(step(async (context) => ensure(context, 'left'), { remove: () => noop(undefined) }));
  assert.match(await found(deleted, kind), /ConfigMap team-a\/left stays behind/);
});

test('a right that no step declares is found', async () => {
  const undeclared = widgetKind(step(async (context) => ensure(context, 'a')));
  const declared = widgetKind(step(async (context) => ensure(context, 'a'), { touches }));
  assert.match(await found(rights, undeclared), /it needs create on configmaps; add it to the touches of the step/);
  assert.equal(await found(rights, declared), '');
});

test('a wait that nothing ends is found', async () => {
  const { watches: _watches, ...kind } = widgetKind(step(() => waiting('Sleepy', 'Not today')));
  assert.match(await found(wakes, { ...kind, watches: [] }), /it waits \(Sleepy: Not today\) with no watch/);
});
