import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PolicyRule, renderRbac, rulesFor } from '../../../src/manifests/rbac.ts';
import { type CertificateSettings, defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { widgetManifestSlice } from '../../support/widget-slice.ts';

const CONFIG_MAPS = { group: '', plural: 'configmaps' };
const SECRETS = { group: '', plural: 'secrets' };

test('verbs of one resource are joined, and resources with equal verbs share a rule', () => {
  const rules = rulesFor([
    { type: CONFIG_MAPS, verbs: ['get'] },
    { type: SECRETS, verbs: ['list', 'get'] },
    { type: CONFIG_MAPS, verbs: ['list'] },
  ]);
  assert.deepEqual(rules, [{ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'list'] }]);
});

test('named objects and subresources keep rules of their own', () => {
  const rules = rulesFor([
    { type: SECRETS, verbs: ['get'] },
    { type: SECRETS, verbs: ['get'], resourceNames: ['b', 'a'] },
    { type: SECRETS, verbs: ['get'], subresource: 'status' },
  ]);
  assert.deepEqual(
    rules.find((rule) => rule.resourceNames !== undefined),
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] },
  );
  assert.deepEqual(
    rules.filter((rule) => rule.resourceNames === undefined),
    [{ apiGroups: [''], resources: ['secrets', 'secrets/status'], verbs: ['get'] }],
  );
});

test('the order of declaration does not show', () => {
  const touches = [...widgetManifestSlice.touches];
  assert.deepEqual(rulesFor(touches), rulesFor(touches.toReversed()));
});

const rights = (certificates: CertificateSettings) => {
  const objects = renderRbac([widgetManifestSlice], { ...defaultManifestSettings('1.0.0'), certificates });
  const rules = objects.flatMap((object) => (Array.isArray(object['rules']) ? object['rules'] : []) as PolicyRule[]);
  return (resource: string) => rules.filter(({ resources }) => resources.includes(resource));
};

test('no rule has a wildcard', () => {
  for (const object of renderRbac([widgetManifestSlice], defaultManifestSettings('1.0.0'))) {
    assert.doesNotMatch(JSON.stringify(object), /"\*"/);
  }
});

test('webhook configurations are read by name; only the self-managed way patches them', () => {
  const verbs = (certificates: CertificateSettings) =>
    rights(certificates)('validatingwebhookconfigurations').map((rule) => [rule.resourceNames, rule.verbs]);
  assert.deepEqual(verbs({ mode: 'cert-manager' }), [[['homeostat'], ['get']]]);
  assert.deepEqual(verbs({ mode: 'csr', signer: 'a.example/b' }), [[['homeostat'], ['get']]]);
  assert.deepEqual(verbs({ mode: 'self-managed' }), [[['homeostat'], ['get', 'patch']]]);
});

test('the self-managed way has one Secret by name, in the namespace of the service', () => {
  const named = rights({ mode: 'self-managed' })('secrets').filter((rule) => rule.resourceNames !== undefined);
  assert.deepEqual(named, [
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['homeostat-webhook-self-managed'],
      verbs: ['get', 'update', 'watch'],
    },
  ]);
});

test('only the csr way may ask a signer', () => {
  const asks = (certificates: CertificateSettings) => rights(certificates)('certificatesigningrequests');
  assert.deepEqual(asks({ mode: 'cert-manager' }), []);
  assert.deepEqual(asks({ mode: 'self-managed' }), []);
  assert.deepEqual(
    asks({ mode: 'csr', signer: 'a.example/b' }).map((rule) => rule.verbs),
    [['create', 'get', 'watch']],
  );
});
