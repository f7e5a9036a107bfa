import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelValues, Metrics } from '../../../src/base/metrics.ts';
import type { Unstructured } from '../../../src/base/object.ts';
import { countConditions } from '../../../src/app/condition-census.ts';
import type { InformerHandler } from '../../../src/runtime/informer-handler.ts';
import { kinds } from '../../../src/kinds/index.ts';

const backups = kinds.filter(({ type }) => type.kind === 'DatabaseBackup');

/** The handler of the only informer, and what the gauge shows. */
function census(): { readonly handler: InformerHandler; readonly shown: Map<string, number> } {
  const shown = new Map<string, number>();
  const set = (value: number, labels: LabelValues = {}) => void shown.set(Object.values(labels).join(' '), value);
  const unused = () => ({ add: () => undefined, observe: () => undefined });
  const metrics: Metrics = { counter: unused, histogram: unused, gauge: () => ({ set, remove: () => undefined }) };
  const handlers: InformerHandler[] = [];
  const informer = { addHandler: (handler: InformerHandler) => void handlers.push(handler) };
  // The census asks informers for a place alone.
  countConditions({ kinds: backups, informers: { of: () => informer as never }, metrics });
  const [handler] = handlers;
  assert.ok(handler !== undefined);
  return { handler, shown };
}

const backup = (conditions: Readonly<Record<string, string>>): Unstructured => ({
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'DatabaseBackup',
  metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1' },
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});
const listed = { initial: true, replaced: false, merged: false };
const changed = { resync: false, replaced: false, merged: false };

test('objects are counted by the status of each condition', () => {
  const { handler, shown } = census();
  handler.added?.(backup({ Ready: 'True', BackupHealthy: 'False' }), listed);
  handler.added?.(backup({ Ready: 'True' }), listed);
  assert.deepEqual(Object.fromEntries(shown), {
    'DatabaseBackup Ready True': 2,
    'DatabaseBackup BackupHealthy False': 1,
  });
});

test('a change moves the object, and a deletion takes it away', () => {
  const { handler, shown } = census();
  handler.added?.(backup({ Ready: 'Unknown' }), listed);
  handler.updated?.(backup({ Ready: 'Unknown' }), backup({ Ready: 'False' }), changed);
  assert.deepEqual([shown.get('DatabaseBackup Ready Unknown'), shown.get('DatabaseBackup Ready False')], [0, 1]);
  handler.deleted?.(backup({ Ready: 'False' }), { lastKnown: false } as never);
  assert.equal(shown.get('DatabaseBackup Ready False'), 0);
});

test('a condition that is not ours makes no series', () => {
  const { handler, shown } = census();
  handler.added?.(backup({ 'example.com/Reviewed': 'True' }), listed);
  assert.equal(shown.size, 0);
});
