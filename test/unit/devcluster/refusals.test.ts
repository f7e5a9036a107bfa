import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WIDGET_CRD } from '../../contract/widget-crd.ts';
import { WIDGET_TWINS } from '../../contract/widget-twins.ts';
import { memoryCluster } from '../../support/memory-cluster.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const [version] = WIDGET_CRD.spec.versions;
const withVersion = (rest: object): object => ({
  ...WIDGET_CRD,
  spec: { ...WIDGET_CRD.spec, versions: [{ ...version, ...rest }] },
});

test('a definition whose CEL rule has no twin is refused with the rule', async (t) => {
  const cluster = memoryCluster(t);
  const { status, body } = await cluster.ask('POST', CRDS, WIDGET_CRD);
  assert.equal(status, 501);
  assert.match(String(body['message']), /no TypeScript twin was given/);
  assert.match(String(body['message']), /self\.size < 50|self != 'bad'|oldSelf/);
});

const REFUSED: readonly (readonly [what: string, definition: object, status: number, words: RegExp])[] = [
  [
    'that converts by webhook',
    { ...WIDGET_CRD, spec: { ...WIDGET_CRD.spec, conversion: { strategy: 'Webhook' } } },
    501,
    /converts by webhook/,
  ],
  ['with selectable fields', withVersion({ selectableFields: [{ jsonPath: '.spec.size' }] }), 501, /selectableFields/],
  [
    'that prints a path nobody understands',
    withVersion({ additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: '.a..b' }] }),
    501,
    /JSONPath/,
  ],
  [
    'with a word outside structural schemas',
    withVersion({ schema: { openAPIV3Schema: { type: 'object', not: {} } } }),
    422,
    /not/,
  ],
  [
    'under another name',
    { ...WIDGET_CRD, metadata: { name: 'other.contract.example.com' } },
    422,
    /spec\.names\.plural/,
  ],
];

for (const [what, definition, code, words] of REFUSED) {
  test(`a definition ${what} is refused`, async (t) => {
    const cluster = memoryCluster(t, { celTwins: [WIDGET_TWINS] });
    const { status, body } = await cluster.ask('POST', CRDS, definition);
    assert.equal(status, code);
    assert.match(String(body['message']), words);
  });
}

test('a body in YAML is refused', async (t) => {
  const cluster = memoryCluster(t);
  const { status } = await cluster.ask('POST', '/api/v1/namespaces', {}, 'application/yaml');
  assert.equal(status, 501);
});

test('a webhook with a matchCondition without twin is refused when it would be called', async (t) => {
  const cluster = memoryCluster(t);
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const hook = {
    name: 'a.b.example.com',
    clientConfig: { url: 'https://127.0.0.1/x' },
    rules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: [{ name: 'x', expression: 'object.data.a == "b"' }],
  };
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  await cluster.ask('POST', path, { metadata: { name: 'x' }, webhooks: [hook] });
  const { status, body } = await cluster.ask('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'a' },
  });
  assert.equal(status, 501);
  assert.match(String(body['message']), /matchCondition/);
});

test('a subresource of a Pod is refused, since there is no kubelet', async (t) => {
  const cluster = memoryCluster(t);
  const { status, body } = await cluster.ask('GET', '/api/v1/namespaces/default/pods/x/log');
  assert.equal(status, 501);
  assert.match(String(body['message']), /kubelet/);
});
