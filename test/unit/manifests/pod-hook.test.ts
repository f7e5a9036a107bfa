import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../../src/kinds/index.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { renderWebhooks } from '../../../src/manifests/webhook.ts';
import { isRecord } from '../../../src/base/json.ts';

/** The rendered hook on Pods. */
function podHook(): Readonly<Record<string, unknown>> {
  const hooks = kinds.flatMap((kind) => kind.hooks);
  const settings = { ...defaultManifestSettings('1.0.0'), namespace: 'ours' };
  const rendered = renderWebhooks(hooks, settings).flatMap(({ webhooks }) => (Array.isArray(webhooks) ? webhooks : []));
  const found = rendered.filter(isRecord).find(({ name }) => String(name).startsWith('inject.pods'));
  assert.ok(found);
  return found;
}

test('P6, P7: the hook on Pods is asked where namespace and Pod opt in, and never for our own namespace or that of the system', () => {
  const { namespaceSelector, matchConditions, failurePolicy, timeoutSeconds, rules } = podHook();
  assert.deepEqual(namespaceSelector, {
    matchExpressions: [
      { key: 'homeostat.io/injection', operator: 'In', values: ['enabled'] },
      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'ours'] },
    ],
  });
  assert.deepEqual(matchConditions, [
    {
      name: 'asks-for-vault',
      expression: "has(object.metadata.annotations) && 'homeostat.io/inject-vault' in object.metadata.annotations",
    },
  ]);
  assert.deepEqual([failurePolicy, timeoutSeconds], ['Ignore', 2]);
  assert.deepEqual(rules, [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: 'Namespaced' },
  ]);
});
