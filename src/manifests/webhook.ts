import type { Hook } from '../base/hook.ts';
import type { Manifest, StringMap } from '../base/object.ts';
import { type CertificateSettings, labelsFor, type ManifestSettings, NAMES, selectorLabels } from './settings.ts';

/** Port of the Service; the API server dials it unless told otherwise. */
const SERVICE_PORT = 443;

/** Service and both webhook configurations. The caBundle is left out unless it is known: who writes it in the cluster owns it. */
export function renderWebhooks(hooks: readonly Hook[], settings: ManifestSettings): readonly Manifest[] {
  const mutating = hooks.filter((hook) => hook.phase === 'mutate');
  const validating = hooks.filter((hook) => hook.phase !== 'mutate');
  return [
    renderService(settings),
    configuration('MutatingWebhookConfiguration', mutating, settings),
    configuration('ValidatingWebhookConfiguration', validating, settings),
  ];
}

function renderService(settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAMES.webhookService, namespace: settings.namespace, labels: labelsFor(settings, 'webhook') },
    spec: {
      selector: selectorLabels(),
      ports: [{ name: 'webhook', port: SERVICE_PORT, targetPort: 'webhook', protocol: 'TCP' }],
    },
  };
}

function configuration(kind: string, hooks: readonly Hook[], settings: ManifestSettings): Manifest {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: {
      name: NAMES.webhookConfiguration,
      labels: labelsFor(settings, 'webhook'),
      ...(settings.certificates.mode === 'cert-manager'
        ? { annotations: { 'cert-manager.io/inject-ca-from': `${settings.namespace}/${NAMES.servingCertificate}` } }
        : {}),
    },
    webhooks: hooks.map((hook) => renderHook(hook, settings)),
  };
}

function renderHook(hook: Hook, settings: ManifestSettings): object {
  const { type } = hook;
  return {
    name: hook.name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: hook.failurePolicy,
    matchPolicy: 'Equivalent',
    timeoutSeconds: hook.timeoutSeconds,
    clientConfig: {
      service: { namespace: settings.namespace, name: NAMES.webhookService, path: hook.path, port: SERVICE_PORT },
      ...caBundle(settings.certificates),
    },
    rules: [
      {
        apiGroups: [type.group],
        apiVersions: [type.version],
        resources: [type.plural],
        operations: hook.operations,
        scope: type.namespaced ? 'Namespaced' : 'Cluster',
      },
    ],
    ...(hook.namespaceLabels === undefined ? {} : { namespaceSelector: optedIn(hook.namespaceLabels, settings) }),
    ...(hook.matchConditions === undefined
      ? {}
      : { matchConditions: hook.matchConditions.map(({ name, expression }) => ({ name, expression })) }),
    ...(hook.phase === 'mutate' ? { reinvocationPolicy: 'IfNeeded' } : {}),
  };
}

/** Namespaces with these labels, never that of the system or our own: a hook that its own Pods wait for would never come back. */
function optedIn(labels: StringMap, settings: ManifestSettings): object {
  const asked = Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  const names = ['kube-system', settings.namespace];
  return { matchExpressions: [...asked, { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: names }] };
}

function caBundle(certificates: CertificateSettings): object {
  if (certificates.mode !== 'csr' || certificates.authority === undefined) return {};
  return { caBundle: Buffer.from(certificates.authority).toString('base64') };
}
