import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '../../../src/base/field-path.ts';
import { kinds } from '../../../src/kinds/index.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';

const install = renderInstallation(kinds, defaultManifestSettings('1.2.3'));
const deployment = install.find(({ kind }) => kind === 'Deployment');
const hooks = install
  .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
  .flatMap(({ webhooks }) => (Array.isArray(webhooks) ? webhooks.map((hook: unknown) => hook) : []));
const listed = (hook: unknown, member: string): readonly unknown[] => {
  const values = valueAt(hook, ['rules', 0, member]);
  return Array.isArray(values) ? values.map((value: unknown) => value) : [];
};

test('A02 a Pod goes only when another is ready, and drains before it goes', () => {
  assert.equal(valueAt(deployment, ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable']), 0);
  const grace = Number(valueAt(deployment, ['spec', 'template', 'spec', 'terminationGracePeriodSeconds']));
  assert.ok(grace >= 10 + 10 + 5);
});

test('A16 A18 B-39 B-41 no hook sees leases, nodes, namespaces or anything of another group but Pods', () => {
  for (const hook of hooks) {
    const [group] = listed(hook, 'apiGroups');
    if (group === 'homeostat.io') continue;
    assert.deepEqual([group, ...listed(hook, 'resources')], ['', 'pods']);
    assert.equal(valueAt(hook, ['failurePolicy']), 'Ignore');
  }
});

test('B-91 no mutating hook sees an update of an object that is not ours', () => {
  for (const hook of hooks) {
    const [group] = listed(hook, 'apiGroups');
    if (group !== 'homeostat.io') assert.deepEqual(listed(hook, 'operations'), ['CREATE']);
  }
});

test('A17 no hook sees a subresource', () => {
  for (const hook of hooks) assert.ok(listed(hook, 'resources').every((resource) => !String(resource).includes('/')));
});

test('A22 no hook that fails closed sees a deletion', () => {
  for (const hook of hooks) {
    if (valueAt(hook, ['failurePolicy']) === 'Fail') assert.ok(!listed(hook, 'operations').includes('DELETE'));
  }
});

test('A27 every hook is without side effects, so that a dry run is answered', () => {
  for (const hook of hooks) assert.equal(valueAt(hook, ['sideEffects']), 'None');
});

test('A32 the certificate is mounted as a folder', () => {
  const mounts = valueAt(deployment, ['spec', 'template', 'spec', 'containers', 0, 'volumeMounts']);
  assert.ok(Array.isArray(mounts));
  assert.ok(mounts.every((mount) => valueAt(mount, ['subPath']) === undefined));
});

test('A41 the Service leads to the port that the Pod names, whatever its number', () => {
  const service = install.find(({ kind }) => kind === 'Service');
  assert.equal(valueAt(service, ['spec', 'ports', 0, 'targetPort']), 'webhook');
  const container = valueAt(deployment, ['spec', 'template', 'spec', 'containers', 0]);
  const number = valueAt(container, ['ports', 0, 'containerPort']);
  const args = valueAt(container, ['args']);
  assert.ok(Array.isArray(args) && args.includes(`--webhook-port=${String(number)}`));
});

test('A43 no hook that fails closed can be dodged by a label', () => {
  for (const hook of hooks) {
    if (valueAt(hook, ['failurePolicy']) === 'Fail') assert.equal(valueAt(hook, ['objectSelector']), undefined);
  }
});

test('A44 no hook waits longer than 10 s', () => {
  for (const hook of hooks) assert.ok(Number(valueAt(hook, ['timeoutSeconds'])) <= 10);
});
