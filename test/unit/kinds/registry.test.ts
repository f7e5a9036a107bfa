import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import type { StructuralSchema } from '../../../src/schema/structural.ts';
import { KindHarness } from '../../support/kind-harness.ts';

/** Paths of nodes below `spec` and `status` that `kubectl explain` could say nothing about. */
function undescribed(node: StructuralSchema, path: string): readonly string[] {
  const own = node.description === undefined || node.description === '' ? [path] : [];
  const members = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    undescribed(child, `${path}.${name}`),
  );
  const items = node.items === undefined ? [] : undescribed(node.items, `${path}[]`);
  const values = node.additionalProperties === undefined ? [] : undescribed(node.additionalProperties, `${path}{}`);
  return [...own, ...members, ...items, ...values];
}

for (const kind of kinds) {
  const { kind: name } = kind.type;

  test(`every field of ${name} is described`, () => {
    const { spec, status } = kind.structure.properties ?? {};
    assert.deepEqual(spec === undefined ? [] : undescribed(spec, 'spec'), []);
    assert.deepEqual(status === undefined ? [] : undescribed(status, 'status'), []);
  });

  test(`the samples of ${name} pass schema, strict reading and rules`, () => {
    const harness = new KindHarness();
    for (const sample of kinds.flatMap(({ samples }) => samples)) {
      if (sample.kind !== 'Namespace' && sample.kind !== name) harness.store(sample);
    }
    for (const after of kind.samples.filter((sample) => sample.kind === name)) {
      assert.deepEqual(kind.schema.unknownFields(after), []);
      assert.deepEqual(kind.schema.violations(kind.schema.prepare(after)), []);
      assert.deepEqual(harness.judge(kind, { type: 'create', after }), []);
    }
  });

  test(`rules of ${name} have ids of their own that begin with its name`, () => {
    const ids = kind.rules.map(({ id }) => id);
    assert.deepEqual(new Set(ids).size, ids.length);
    assert.deepEqual(
      ids.filter((id) => !id.startsWith(`${kind.singular}.`)),
      [],
    );
  });

  test(`rules of ${name} have a CEL twin exactly where their tier says so`, () => {
    for (const { id, tier, cel } of kind.rules) assert.equal(cel !== undefined, tier === 'C', id);
  });
}

test('a kind refers only to kinds before it', () => {
  assert.deepEqual(
    kinds.map(({ type }) => type.kind),
    ['ClusterConfig', 'TeamConfig', 'Environment', 'VaultPolicy', 'VaultApp', 'MaintenanceWindow', 'DatabaseBackup'],
  );
});

test('E16: each resource is watched once, children of Environments by label', () => {
  const environments = kinds.find(({ type }) => type.kind === 'Environment');
  const selector = 'app.kubernetes.io/managed-by=homeostat,homeostat.io/owner-kind=Environment';
  assert.deepEqual(
    environments?.watches.map(({ type, labelSelector }) => [type.kind, labelSelector]),
    [
      ['Namespace', undefined],
      ['ResourceQuota', selector],
      ['LimitRange', selector],
      ['ServiceAccount', selector],
      ['RoleBinding', selector],
      ['NetworkPolicy', selector],
      ['ClusterConfig', undefined],
      ['TeamConfig', undefined],
    ],
  );
});

test('a person sees namespace, config, step, readiness and age, and with -o wide every step', () => {
  const environments = kinds.find(({ type }) => type.kind === 'Environment');
  const names = (priority: number) =>
    environments?.columns.filter((column) => (column.priority ?? 0) === priority).map(({ name }) => name);
  assert.deepEqual(names(0), ['Namespace', 'Config', 'Step', 'Ready', 'Reason', 'Age']);
  assert.equal(names(1)?.length, 11);
});
