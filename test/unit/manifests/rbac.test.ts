import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRbac, rulesFor } from '../../../src/manifests/rbac.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
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

test('no rule has a wildcard and none writes webhook configurations', () => {
  for (const object of renderRbac([widgetManifestSlice], defaultManifestSettings('1.0.0'))) {
    assert.doesNotMatch(JSON.stringify(object), /"\*"|webhookconfigurations/);
  }
});
