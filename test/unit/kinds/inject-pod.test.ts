import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Unstructured } from '../../../src/base/object.ts';
import { injectPod, judgePod } from '../../../src/kinds/vaultapp/inject-pod.ts';
import { VaultKindScene, vaultApp } from '../../support/vault-kind-scene.ts';

interface PodParts {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly status?: object;
}

/** A Pod as a ReplicaSet sends it: without a name and a namespace of its own. */
function aPod({
  annotations = { 'homeostat.io/inject-vault': 'web' },
  spec = {},
  status,
}: PodParts = {}): Unstructured {
  const containers = [{ name: 'main', image: 'i' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: '', generateName: 'web-', uid: 'u', resourceVersion: '1', annotations },
    spec: { serviceAccountName: 'web', containers, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

const scene = new VaultKindScene();
scene.store(vaultApp());
const context = { lookup: scene.lookup, namespace: 'team-a', outside: scene.outside };

/** Names of the variables that a container has. */
function variables(pod: Unstructured, index = 0): readonly string[] {
  // As injectPod and aPod make it.
  const { containers } = pod['spec'] as { containers: { env?: { name: string }[] }[] };
  return (containers[index]?.env ?? []).map(({ name }) => name);
}

test('P11: a Pod without a name gets variables, a projected token and the mark, in every container', () => {
  const { object, warnings } = injectPod(aPod(), context);
  assert.deepEqual(warnings, []);
  assert.deepEqual(object['spec'], {
    serviceAccountName: 'web',
    containers: [
      {
        name: 'main',
        image: 'i',
        env: [
          { name: 'VAULT_ADDR', value: 'https://vault.example.org' },
          { name: 'VAULT_AUTH_MOUNT', value: 'kubernetes' },
          { name: 'VAULT_ROLE', value: 'c1.team-a.web' },
          { name: 'VAULT_TOKEN_PATH', value: '/var/run/secrets/homeostat.io/vault-token/token' },
        ],
        volumeMounts: [
          { name: 'homeostat-vault-token', mountPath: '/var/run/secrets/homeostat.io/vault-token', readOnly: true },
        ],
      },
    ],
    volumes: [
      {
        name: 'homeostat-vault-token',
        projected: {
          sources: [{ serviceAccountToken: { audience: 'vault', expirationSeconds: 3600, path: 'token' } }],
        },
      },
    ],
  });
  assert.match(object.metadata.annotations?.['homeostat.io/injected'] ?? '', /^[0-9a-f]{16}$/);
});

test('P3: a variable that is set stays, and envFrom is not overridden unless the Pod says so', () => {
  const set = { name: 'main', env: [{ name: 'VAULT_ADDR', value: 'mine' }], envFrom: [] };
  const from = { name: 'other', envFrom: [{ configMapRef: { name: 'c' } }] };
  const { object } = injectPod(aPod({ spec: { containers: [set, from] } }), context);
  assert.deepEqual(variables(object, 0), ['VAULT_ADDR', 'VAULT_AUTH_MOUNT', 'VAULT_ROLE', 'VAULT_TOKEN_PATH']);
  assert.deepEqual(variables(object, 1), ['VAULT_AUTH_MOUNT', 'VAULT_ROLE', 'VAULT_TOKEN_PATH']);
  const annotations = { 'homeostat.io/inject-vault': 'web', 'homeostat.io/inject-over-env-from': 'true' };
  assert.equal(
    variables(injectPod(aPod({ annotations, spec: { containers: [from] } }), context).object)[0],
    'VAULT_ADDR',
  );
});

test('P4, P5: no container is added, and only chosen ones are touched', () => {
  const annotations = { 'homeostat.io/inject-vault': 'web', 'homeostat.io/inject-containers': 'b' };
  const spec = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'c' }] };
  const { object } = injectPod(aPod({ annotations, spec }), context);
  assert.deepEqual(variables(object, 0), []);
  assert.equal(variables(object, 1).length, 4);
  assert.deepEqual((object['spec'] as { initContainers: unknown }).initContainers, [{ name: 'c' }]);
});

for (const [what, parts, warning] of [
  [
    'P12: an app that does not exist',
    { annotations: { 'homeostat.io/inject-vault': 'nobody' } },
    /VaultApp "nobody" does not exist in namespace "team-a"; the Pod is left as it is/,
  ],
  [
    'a service account that the app does not name',
    { spec: { serviceAccountName: '' } },
    /service account "default" is none of VaultApp "web"/,
  ],
  ['no annotation', { annotations: {} }, undefined],
] as const) {
  test(`${what} leaves the Pod as it is`, () => {
    const pod = aPod(parts);
    const { object, warnings } = injectPod(pod, context);
    assert.equal(object, pod);
    if (warning === undefined) assert.deepEqual(warnings, []);
    else assert.match(warnings.join(), warning);
  });
}

const containers = fc.array(
  fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      env: fc.array(fc.record({ name: fc.constantFrom('VAULT_ADDR', 'VAULT_ROLE', 'X'), value: fc.string() }), {
        maxLength: 3,
      }),
      envFrom: fc.array(fc.record({ prefix: fc.string() }), { maxLength: 1 }),
      volumeMounts: fc.array(
        fc.record({ name: fc.constantFrom('homeostat-vault-token', 'v'), mountPath: fc.string() }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['name'] },
  ),
  { maxLength: 3 },
);
const volumes = fc.array(fc.record({ name: fc.constantFrom('homeostat-vault-token', 'v') }), { maxLength: 2 });

test('P2: a second injection adds nothing, and the first takes nothing away', () => {
  fc.assert(
    fc.property(
      fc.record({ containers, initContainers: containers, volumes }, { requiredKeys: ['containers'] }),
      (spec) => {
        const once = injectPod(aPod({ spec }), context).object;
        assert.deepEqual(injectPod(once, context).object, once);
        const after = once['spec'] as typeof spec;
        assert.deepEqual(after.volumes?.slice(0, spec.volumes?.length ?? 0), spec.volumes ?? []);
        spec.containers.forEach((container, index) => {
          const env = after.containers[index]?.env ?? [];
          assert.deepEqual(env.slice(0, container.env?.length ?? 0), container.env ?? []);
        });
      },
    ),
  );
});

test('A07: a container that is added between two passes gets its share, the others nothing more', () => {
  const once = injectPod(aPod(), context).object;
  const spec = once['spec'] as { readonly containers: readonly object[] };
  const grown = { ...once, spec: { ...spec, containers: [...spec.containers, { name: 'late' }] } };
  const twice = injectPod(grown, context).object['spec'] as typeof spec;
  assert.deepEqual(twice.containers[0], spec.containers[0]);
  assert.equal(variables(injectPod(grown, context).object, 1).length, 4);
});

test('A08: what is injected does not follow from the name of the Pod, so that a second pass adds nothing', () => {
  const once = injectPod(aPod(), context).object;
  const named = { ...once, metadata: { ...once.metadata, name: 'web-x' } };
  assert.deepEqual(injectPod(named, context).object, named);
});

test('P1, P9: a Pod that was missed and one whose app has changed are told apart from those that are well', () => {
  const injected = injectPod(aPod(), context).object;
  assert.equal(judgePod(injected, context), undefined);
  assert.equal(judgePod(aPod(), context), 'missing');
  assert.equal(judgePod(aPod({ status: { phase: 'Succeeded' } }), context), undefined);
  scene.editSpec(vaultApp(), (spec) => ({ ...spec, audience: 'other' }));
  assert.equal(judgePod(injected, context), 'stale');
});

test('a mirror Pod is left as it is: the API server refuses one with a projected token', () => {
  const pod = aPod({ annotations: { 'homeostat.io/inject-vault': 'web', 'kubernetes.io/config.mirror': 'hash' } });
  assert.deepEqual(injectPod(pod, context), { object: pod, warnings: [] });
  assert.equal(judgePod(pod, context), undefined);
});
