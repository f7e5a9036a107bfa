import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest } from '../../../src/base/object.ts';
import { valueAt } from '../../../src/base/field-path.ts';
import { renderManifests } from '../../../src/manifests/manifest-tree.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { defaultManifestSettings, webhookDnsName } from '../../../src/manifests/settings.ts';
import { toYaml } from '../../../src/manifests/yaml-text.ts';
import { widgetManifestSlice } from '../../support/widget-slice.ts';

const settings = defaultManifestSettings('1.2.3');

function install(): readonly Manifest[] {
  return renderInstallation([widgetManifestSlice], settings);
}

function only(kind: string, name?: string): Manifest {
  const found = install().filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  assert.equal(found.length, 1, `${kind} ${name ?? ''}`);
  return found[0] as Manifest;
}

test('A38 rendering twice gives the same bytes', () => {
  const text = () =>
    renderManifests([widgetManifestSlice], settings)
      .map((file) => toYaml(file.documents))
      .join('');
  assert.equal(text(), text());
});

test('the namespace comes first and the webhook configurations last', () => {
  const kinds = install().map((object) => object.kind);
  assert.equal(kinds[0], 'Namespace');
  assert.deepEqual(kinds.slice(-2), ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
});

test('A37 no manifest carries a caBundle, both configurations ask cert-manager for it', () => {
  assert.doesNotMatch(toYaml(install()), /caBundle/);
  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
    const annotations = only(kind).metadata.annotations ?? {};
    assert.equal(annotations['cert-manager.io/inject-ca-from'], `${settings.namespace}/homeostat-webhook`);
  }
});

test('the annotation names the serving Certificate, whose names hold what the API server verifies', () => {
  const certificate = only('Certificate', 'homeostat-webhook');
  assert.deepEqual(valueAt(certificate, ['spec', 'dnsNames', 0]), webhookDnsName(settings.namespace));
  assert.equal(valueAt(certificate, ['spec', 'issuerRef', 'name']), 'homeostat-ca');
});

test('each hook row stands in the configuration of its phase with its policy and timeout', () => {
  const mutating = only('MutatingWebhookConfiguration')['webhooks'] as { name: string }[];
  const validating = only('ValidatingWebhookConfiguration')['webhooks'] as { name: string; failurePolicy: string }[];
  assert.deepEqual(
    mutating.map((hook) => hook.name),
    ['mutate.widgets.example.com'],
  );
  assert.deepEqual(
    validating.map((hook) => [hook.name, hook.failurePolicy]),
    [
      ['validate.widgets.example.com', 'Fail'],
      ['protect.widgets.example.com', 'Ignore'],
    ],
  );
});

test('B-75 the heap stays below 80 % of the memory limit', () => {
  const pod = valueAt(only('Deployment'), ['spec', 'template', 'spec']);
  const limitMi = Number.parseInt(String(valueAt(pod, ['containers', 0, 'resources', 'limits', 'memory'])), 10);
  const option = (name: string): number => Number(new RegExp(`--${name}=(\\d+)`).exec(JSON.stringify(pod))?.[1]);
  // The young generation has three semi-spaces.
  const heapMi = option('max-old-space-size') + 3 * option('max-semi-space-size');
  assert.ok(heapMi <= limitMi * 0.8, `${heapMi} of ${limitMi}`);
});

test('the Pod meets the restricted Pod Security profile', () => {
  const pod = valueAt(only('Deployment'), ['spec', 'template', 'spec']);
  assert.deepEqual(valueAt(pod, ['securityContext']), {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.deepEqual(valueAt(pod, ['containers', 0, 'securityContext']), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

const sharded = renderInstallation([widgetManifestSlice], { ...settings, stages: ['dev', 'int'] });
const named = (kind: string): readonly string[] =>
  sharded.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
const argsOf = (name: string): readonly unknown[] => {
  const found = sharded.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  const args = valueAt(found, ['spec', 'template', 'spec', 'containers', 0, 'args']);
  return Array.isArray(args) ? args.map((arg: unknown) => arg) : [];
};

test('each stage has a Deployment and a budget, and the common one leaves the stages alone', () => {
  const instances = ['homeostat', 'homeostat-stage-dev', 'homeostat-stage-int'];
  assert.deepEqual(named('Deployment'), instances);
  assert.deepEqual(named('PodDisruptionBudget'), instances);
  assert.ok(argsOf('homeostat').includes('--stage-not=dev,int'));
  assert.ok(argsOf('homeostat-stage-dev').includes('--stage=dev'));
});

test('a stage brings nothing but what runs it: CRDs, rights, hooks and certificates are those of the common instance', () => {
  const others = (objects: readonly Manifest[]): readonly string[] =>
    objects
      .filter(({ kind }) => kind !== 'Deployment' && kind !== 'PodDisruptionBudget')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  assert.deepEqual(others(sharded), others(install()));
});

test('no review reaches the Pods of a stage, and a change to stages keeps every selector', () => {
  const service = sharded.find(({ kind }) => kind === 'Service');
  assert.deepEqual(
    valueAt(service, ['spec', 'selector']),
    valueAt(only('Deployment'), ['spec', 'selector', 'matchLabels']),
  );
  const selectors = sharded
    .filter(({ kind }) => kind === 'Deployment')
    .map((object) => JSON.stringify(valueAt(object, ['spec', 'selector', 'matchLabels'])));
  assert.equal(new Set(selectors).size, 3);
  assert.ok(selectors.includes(JSON.stringify(valueAt(only('Deployment'), ['spec', 'selector', 'matchLabels']))));
});

test('Pods of an instance are spread over nodes and zones, and still start where they cannot be', () => {
  for (const deployment of sharded.filter(({ kind }) => kind === 'Deployment')) {
    const constraints = valueAt(deployment, ['spec', 'template', 'spec', 'topologySpreadConstraints']);
    const matchLabels = valueAt(deployment, ['spec', 'selector', 'matchLabels']);
    assert.deepEqual(
      constraints,
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
        maxSkew: 1,
        topologyKey,
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels },
      })),
    );
  }
});

test('the priority class is what was asked for, and absent unless it was', () => {
  const priorityOf = (objects: readonly Manifest[]): readonly unknown[] =>
    objects
      .filter(({ kind }) => kind === 'Deployment')
      .map((object) => valueAt(object, ['spec', 'template', 'spec', 'priorityClassName']));
  assert.deepEqual(priorityOf(install()), [undefined]);
  const asked = renderInstallation([widgetManifestSlice], { ...settings, priorityClassName: 'important' });
  assert.deepEqual(priorityOf(asked), ['important']);
});

test('metrics are scraped over TLS that is verified by name and authority, with a token', () => {
  const monitored = renderInstallation([widgetManifestSlice], { ...settings, monitoring: true });
  const monitor = monitored.find(({ kind }) => kind === 'ServiceMonitor');
  const endpoint = valueAt(monitor, ['spec', 'endpoints', 0]);
  assert.equal(valueAt(endpoint, ['scheme']), 'https');
  assert.match(String(valueAt(endpoint, ['bearerTokenFile'])), /token$/);
  assert.deepEqual(valueAt(endpoint, ['tlsConfig']), {
    ca: { secret: { name: 'homeostat-webhook-tls', key: 'ca.crt' } },
    serverName: webhookDnsName(settings.namespace),
  });
  // The Service that it selects names the port of the Pods.
  const labels = valueAt(monitor, ['spec', 'selector', 'matchLabels']);
  const services = monitored.filter(
    ({ kind, metadata }) =>
      kind === 'Service' && Object.entries(Object(labels)).every(([key, value]) => metadata.labels?.[key] === value),
  );
  assert.deepEqual(
    services.map(({ metadata }) => metadata.name),
    ['homeostat-metrics'],
  );
});
