import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDeclaration, leaseOf, shardOf } from '../../../src/runtime/shard.ts';
import { type AuditedObject, isLive, ShardAudit } from '../../../src/runtime/shard-audit.ts';
import type { ShardInstance } from '../../../src/runtime/shard-lease.ts';

function instance(text: string, version = '1.0.0'): ShardInstance {
  const declaration = parseDeclaration(text) ?? assert.fail(text);
  const lease = leaseOf(shardOf(declaration));
  return {
    declaration,
    lease,
    version,
    holder: 'pod-a_1',
    renewTime: '2026-01-01T00:00:00.000000Z',
    durationSeconds: 15,
  };
}

function object(name: string, stage?: string, shard = 'common'): AuditedObject {
  const ref = { kind: 'Environment', namespace: 'team-a', name };
  return { ref, ...(stage === undefined ? {} : { stage }), shard, resourceVersion: '7' };
}

function audit(live: readonly ShardInstance[], objects: readonly AuditedObject[], gone: readonly ShardInstance[] = []) {
  const it = new ShardAudit(live, gone);
  for (const one of objects) it.add(one);
  return it.report();
}

const OBJECTS = [object('a', 'dev'), object('b', 'int'), object('c', 'prod'), object('d')];
const [REST, DEV, INT] = [instance('--stage-not=dev,int'), instance('--stage=dev'), instance('--stage=int')];

test('a whole set of instances has each object once', () => {
  const { findings, owned, objects } = audit([REST, DEV, INT], OBJECTS);
  assert.deepEqual(findings, []);
  assert.deepEqual(owned, { homeostat: 2, 'homeostat-stage-dev': 1, 'homeostat-stage-int': 1 });
  assert.equal(objects, 4);
});

test('Flux unknown shard: a stage that everybody leaves to others is a gap that names object, stage and instances', () => {
  const { findings } = audit([REST, DEV], OBJECTS);
  assert.deepEqual(
    findings.map(({ type, object: name, message }) => ({ type, name, message })),
    [
      {
        type: 'gap',
        name: 'Environment team-a/b',
        message:
          'Environment team-a/b of stage "int" has no owner: none of --stage-not=dev,int (Lease homeostat), --stage=dev (Lease homeostat-stage-dev) reconciles it; start an instance that does',
      },
    ],
  );
});

test('argo-cd#29476 an instance that nobody is any more leaves a gap that names its Lease', () => {
  const { findings } = audit([REST, DEV], OBJECTS, [INT]);
  assert.match(findings[0]?.message ?? '', /nobody holds the Lease homeostat-stage-int of --stage=int/);
  assert.deepEqual(findings[0]?.leases, ['homeostat-stage-int']);
});

test('two instances of one stage are an overlap that names both', () => {
  const { findings } = audit([instance('--stage-not=dev'), DEV, INT], OBJECTS);
  assert.equal(findings.length, 1);
  assert.equal(findings[0]?.type, 'overlap');
  assert.match(
    findings[0]?.message ?? '',
    /Environment team-a\/b of stage "int" has 2 owners: --stage-not=dev .*--stage=int/,
  );
});

test('argo-cd#29476 parts of different counts overlap', () => {
  const parts = ['--shard=1/2', '--shard=2/2', '--shard=1/3', '--shard=2/3', '--shard=3/3'].map((text) =>
    instance(text),
  );
  const { findings } = audit(parts, OBJECTS);
  assert.deepEqual(new Set(findings.map(({ type }) => type)), new Set(['overlap']));
  assert.equal(findings.length, OBJECTS.length);
});

test('an instance that reconciles everything leaves a stage to the instance of it', () => {
  const { findings, owned } = audit([instance('everything'), DEV], OBJECTS);
  assert.deepEqual(findings, []);
  assert.deepEqual(owned, { homeostat: 3, 'homeostat-stage-dev': 1 });
});

test('unequal versions are told once, with every version and Lease', () => {
  const { findings } = audit([REST, instance('--stage=dev', '1.1.0'), INT], OBJECTS);
  assert.equal(findings.length, 1);
  assert.match(findings[0]?.message ?? '', /1\.0\.0 \(Lease homeostat\), 1\.1\.0 \(Lease homeostat-stage-dev\)/);
});

test('no instance at all is a gap for each object', () => {
  const { findings } = audit([], OBJECTS);
  assert.equal(findings.length, OBJECTS.length);
  assert.match(findings[0]?.message ?? '', /no instance at all/);
});

test('a Lease is held until it runs out, or as long as it is seen to be renewed', () => {
  const renewed = Date.parse(DEV.renewTime);
  assert.equal(isLive(DEV, renewed + 14_000), true);
  assert.equal(isLive(DEV, renewed + 16_000), false);
  assert.equal(isLive({ ...DEV, holder: '' }, renewed), false);
  // The clock that judges is ahead by an hour.
  assert.equal(isLive({ ...DEV, renewTime: '2026-01-01T00:00:02.000000Z' }, renewed + 3_600_000, DEV), true);
});

test('an object that its owner waits for through two audits is told, with both Leases', () => {
  const stuck = object('a', 'dev');
  const first = new ShardAudit([REST, DEV, INT], []);
  first.add(stuck);
  const { findings, awaited } = first.report();
  assert.deepEqual(findings, []);
  const second = new ShardAudit([REST, DEV, INT], [], awaited);
  for (const one of [stuck, object('b', 'int', 'stage-int')]) second.add(one);
  const [finding, ...others] = second.report().findings;
  assert.deepEqual(others, []);
  assert.equal(finding?.type, 'handover');
  assert.deepEqual(finding?.leases, ['homeostat-stage-dev', 'homeostat']);
  assert.match(finding?.message ?? '', /a of stage "dev" is still in shard common, and --stage=dev .* waits for it/);
});

test('an object that somebody has written to meanwhile is on its way', () => {
  const first = new ShardAudit([REST, DEV], []);
  first.add(object('a', 'dev'));
  const second = new ShardAudit([REST, DEV], [], first.report().awaited);
  second.add({ ...object('a', 'dev'), resourceVersion: '8' });
  assert.deepEqual(second.report().findings, []);
});

test('whoever reconciles everything works on what names the shard of its stage', () => {
  const all = instance('everything');
  const first = new ShardAudit([all], []);
  for (const one of [object('a', 'dev', 'stage-dev'), object('b', 'dev')]) first.add(one);
  assert.equal(first.report().awaited.size, 0);
});
