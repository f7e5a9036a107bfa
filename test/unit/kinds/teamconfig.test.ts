import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPath } from '../../../src/base/field-path.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { environment, KindHarness, kindNamed, teamConfig } from '../../support/kind-harness.ts';

const KIND = kindNamed('TeamConfig');
const ADA = { kind: 'User', name: 'ada', role: 'owner' };
const ALLOW = 'homeostat.io/allow-secret-like-settings';

function refused(after: Manifest): readonly string[] {
  return new KindHarness().judge(KIND, { type: 'create', after });
}

function schemaRefuses(manifest: Manifest): readonly string[] {
  return KIND.schema.violations(manifest).map(({ type, path }) => `${formatPath(path)} ${type}`);
}

test('a team needs an owner', () => {
  assert.deepEqual(refused(teamConfig([{ ...ADA, role: 'viewer' }])), [
    'spec.members: Invalid value: at least one member must be an owner',
  ]);
});

test('T5: a team has no status, no queue and no mutating hook', () => {
  assert.deepEqual([KIND.hasStatus, KIND.pipeline, KIND.mutate], [false, undefined, undefined]);
  assert.deepEqual(
    KIND.hooks.map(({ phase }) => phase),
    ['validate', 'protect'],
  );
});

test('T6: an unknown member is found by strict reading', () => {
  assert.deepEqual(KIND.schema.unknownFields(teamConfig([ADA], { contcat: {} })), ['spec.contcat']);
});

test('T7: 501 members are too many', () => {
  const members = Array.from({ length: 501 }, (_, index) => ({ ...ADA, name: `u${index}` }));
  assert.deepEqual(schemaRefuses(teamConfig(members)), ['spec.members FieldValueTooMany']);
});

test('a member is listed once', () => {
  assert.deepEqual(schemaRefuses(teamConfig([ADA, { ...ADA, role: 'viewer' }])), [
    'spec.members[1] FieldValueDuplicate',
  ]);
});

test('T8: settings that look like secrets are refused without showing them', () => {
  const settings = { a: 'hvs.CAES', b: 'AKIAIOSFODNN7EXAMPLE', c: '-----BEGIN RSA PRIVATE KEY-----\nx', d: 'plain' };
  const says = refused(teamConfig([ADA], { settings }));
  assert.deepEqual(
    says.map((line) => line.slice(0, line.indexOf(':'))),
    ['spec.settings[a]', 'spec.settings[b]', 'spec.settings[c]'],
  );
  assert.equal(
    says.some((line) => /CAES|IOSFODNN|BEGIN/.test(line)),
    false,
  );
});

test('T8: an annotation lets them through', () => {
  const team = teamConfig([ADA], { settings: { a: 'hvs.CAES' } });
  assert.deepEqual(refused({ ...team, metadata: { ...team.metadata, annotations: { [ALLOW]: 'true' } } }), []);
});

test('T9: a team Environments refer to may not be deleted', () => {
  const harness = new KindHarness();
  harness.store(environment({ teamRef: { name: 'team-a' } }));
  harness.store(environment({ teamRef: { name: 'team-b' } }, { name: 'other' }));
  assert.deepEqual(harness.judge(KIND, { type: 'delete', before: teamConfig([ADA]) }), [
    'TeamConfig "team-a" is used by 1 Environment: team-a/dev',
  ]);
});

test('T10: what was wrong before does not refuse another change', () => {
  const before = teamConfig([ADA], { labels: { 'kubernetes.io/x': 'y' } });
  const after = teamConfig([ADA, { ...ADA, name: 'eve' }], { labels: { 'kubernetes.io/x': 'y' } });
  const says = new KindHarness().judge(KIND, { type: 'update', before, after });
  assert.deepEqual(says, [
    'warning: spec.labels[kubernetes.io/x]: Forbidden: "kubernetes.io/x" is reserved; an Environment may set it where allowedLabelPrefixes of its ClusterConfig allow',
  ]);
});
