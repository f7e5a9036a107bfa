import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../../../src/rules/change.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { clusterConfig, environment, KindHarness, kindNamed } from '../../support/kind-harness.ts';

const KIND = kindNamed('Environment');

/** Rights asked for, as `verb name in namespace`. */
function asked(change: Change<Manifest>): readonly string[] {
  const harness = new KindHarness();
  harness.store(clusterConfig());
  const read = (manifest: Manifest) =>
    KIND.schema.prepare({ ...manifest, metadata: { uid: 'u', resourceVersion: '1', ...manifest.metadata } });
  const typed =
    change.type === 'create'
      ? { type: change.type, after: read(change.after) }
      : change.type === 'update'
        ? { type: change.type, before: read(change.before), after: read(change.after) }
        : { type: change.type, before: read(change.before) };
  const requests = KIND.accessReviews?.(typed, harness.lookup) ?? [];
  return requests.map(({ verb, resource, name, namespace }) => `${verb} ${resource} ${name} in ${namespace}`);
}

function binding(role: string, ...users: readonly string[]): object {
  return { name: role, roleRef: { name: role }, subjects: users.map((name) => ({ kind: 'User', name })) };
}

function bindings(...roleBindings: readonly object[]): Manifest {
  return environment({ roleBindings });
}

test('E17: a new binding asks whether its author may bind the role in the namespace', () => {
  assert.deepEqual(asked({ type: 'create', after: bindings(binding('view', 'eve'), binding('edit', 'eve')) }), [
    'bind clusterroles view in team-a-dev',
    'bind clusterroles edit in team-a-dev',
  ]);
});

test('E17: a new subject of an old binding asks as well', () => {
  const change = {
    type: 'update',
    before: bindings(binding('view', 'ada')),
    after: bindings(binding('view', 'ada', 'eve')),
  } as const;
  assert.deepEqual(asked(change), ['bind clusterroles view in team-a-dev']);
});

test('bindings that stay as they are ask nothing', () => {
  const before = bindings(binding('view', 'ada'));
  assert.deepEqual(
    asked({ type: 'update', before, after: { ...before, spec: { ...(before['spec'] as object), paused: true } } }),
    [],
  );
});

test('another team asks for the roles its members will get', () => {
  const roleBindings = [{ name: 'b', roleRef: { name: 'edit' }, subjectsFromTeam: 'owner' }];
  const change = {
    type: 'update',
    before: environment({ roleBindings, teamRef: { name: 'a' } }),
    after: environment({ roleBindings, teamRef: { name: 'b' } }),
  } as const;
  assert.deepEqual(asked(change), ['bind clusterroles edit in team-a-dev']);
});

test('bindings that go to another namespace ask there, although they stay as they are', () => {
  const before = bindings(binding('view', 'ada'));
  const spec = { ...(before['spec'] as object), clusterConfigRef: { name: 'other' } };
  assert.deepEqual(asked({ type: 'update', before, after: { ...before, spec } }), [
    'bind clusterroles view in undefined',
  ]);
});

test('a denial names the user and the role', () => {
  const harness = new KindHarness();
  const after = harness.store(bindings(binding('admin', 'eve')));
  const [request] = KIND.accessReviews?.({ type: 'create', after }, harness.lookup) ?? [];
  assert.equal(request?.denial('eve'), 'user "eve" may not bind ClusterRole "admin"');
});
