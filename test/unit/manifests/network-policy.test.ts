import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '../../../src/base/field-path.ts';
import { isRecord } from '../../../src/base/json.ts';
import { renderNetworkPolicies } from '../../../src/manifests/network-policy.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';

const policies = renderNetworkPolicies({ ...defaultManifestSettings('1.2.3'), networkPolicy: true });

/** The rules of one direction, each with its ports. */
const rulesOf = (direction: 'ingress' | 'egress') =>
  policies.flatMap((policy) => {
    const rules = valueAt(policy, ['spec', direction]);
    return Array.isArray(rules) ? rules.filter(isRecord) : [];
  });
const portsOf = (rule: unknown): readonly unknown[] => {
  const ports = valueAt(rule, ['ports']);
  return Array.isArray(ports) ? ports.map((entry: unknown) => valueAt(entry, ['port'])) : [];
};

test('without the wish there is no policy', () => {
  assert.deepEqual(renderNetworkPolicies(defaultManifestSettings('1.2.3')), []);
});

test('the webhooks are open on the port of the Pod, to API servers wherever they are', () => {
  const rule = rulesOf('ingress').find((candidate) => portsOf(candidate).includes(9443));
  assert.deepEqual(rule, { ports: [{ protocol: 'TCP', port: 9443 }] });
});

test('the metrics are open to namespaces with the label alone', () => {
  const rule = rulesOf('ingress').find((candidate) => portsOf(candidate).includes(8443));
  assert.deepEqual(valueAt(rule, ['from']), [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }]);
});

test('nothing else is open', () => {
  assert.deepEqual(rulesOf('ingress').flatMap(portsOf), [9443, 8443]);
});

test('B-49 the API server is reached on 443 and 6443, beside names and Vault', () => {
  const ports = rulesOf('egress').flatMap(portsOf);
  for (const port of [443, 6443, 53, 8200]) assert.ok(ports.includes(port), String(port));
});
