import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/admission/decide.ts';
import { decodeReview } from '../../../src/admission/review.ts';
import type { Verdict } from '../../../src/admission/verdict.ts';
import { withInjections } from '../../../src/admission/injection.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { apiVersionOf, keyOf } from '../../../src/base/resource.ts';
import { clusterConfig, environment, KindHarness, kindNamed, teamConfig } from '../../support/kind-harness.ts';
import { calmContext, noLimit, reviewBody } from '../admission/gadget.ts';

/** The verdict on a deletion by caches that lag and an API server that does not. */
async function deletion(harness: KindHarness, manifest: Manifest): Promise<Verdict> {
  const kind = kindNamed(manifest.kind === 'TeamConfig' ? 'TeamConfig' : 'ClusterConfig');
  const [hook] = kind.hooks.filter(({ phase }) => phase === 'protect');
  const [slice] = withInjections([kind]);
  assert.ok(hook !== undefined && slice !== undefined);
  const { group, version, plural } = kind.type;
  const body = reviewBody({
    kind: { group, version, kind: kind.type.kind },
    resource: { group, version, resource: plural },
    name: manifest.metadata.name,
    namespace: '',
    operation: 'DELETE',
    object: null,
    oldObject: { ...harness.api.peek(kind.type, keyOf(manifest)), apiVersion: apiVersionOf(kind.type) },
  });
  const context = calmContext({
    lookup: harness.lookup,
    live: (object) => Promise.resolve(harness.api.peek(object.type, object.key)),
  });
  return decide(hook, slice, decodeReview(body), { context, limit: noLimit });
}

const USER = environment({ clusterConfigRef: { name: 'default' }, teamRef: { name: 'team-a' } });

for (const [manifest, member] of [
  [clusterConfig(), 'clusterConfigRef'],
  [teamConfig([]), 'teamRef'],
] as const) {
  test(`a ${manifest.kind} whose last user has moved away may be deleted, though the cache has not heard of it`, async () => {
    const harness = new KindHarness();
    harness.store(manifest);
    harness.store(USER);
    assert.equal((await deletion(harness, manifest)).type, 'deny');
    harness.lookup.freeze();
    harness.editSpec(USER, (spec) => ({ ...spec, [member]: { name: 'other' } }));
    assert.equal((await deletion(harness, manifest)).type, 'allow');
  });
}
